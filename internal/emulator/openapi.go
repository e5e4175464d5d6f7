package emulator

import _ "embed"

//go:embed openapi.json
var openAPI []byte

// OpenAPI returns the OpenAPI document of what a workspace serves under the newest version. A test makes it from the routes and from answers.
func OpenAPI() []byte { return openAPI }
