package emulator

import "aqueduck/internal/emulator/state/content"

var (
	kindParam = operationParam{name: "kind", kind: &textParam, of: content.ContentNames[:]}
	saysParam = operationParam{name: "set", kind: &fieldsParam, optional: true}
)

var datasetParam = operationParam{name: "dataset", kind: &textParam}
