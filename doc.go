// Package aqueduck names the version and the licence; its tests look at the whole repository. The program is cmd/aqueduck.
package aqueduck

import (
	_ "embed"
	"strings"
)

//go:embed VERSION
var versionFile string

// License is the SPDX identifier of the licence in the file LICENSE.
const License = "Apache-2.0"

// Version returns the version that the file VERSION names, such as 1.0.0.
func Version() string { return strings.TrimSpace(versionFile) }
