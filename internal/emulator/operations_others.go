package emulator

import "aqueduck/internal/emulator/state/content"

var (
	kindParam = param{name: "kind", kind: &textParam, of: content.ContentNames[:]}
	saysParam = param{name: "set", kind: &fieldsParam, optional: true}
)

var datasetParam = param{name: "dataset", kind: &textParam}
