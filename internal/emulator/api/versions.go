package api

import "aqueduck/internal/emulator/apiversion"

// VersionHas says whether a version has what came with another one. What 2.14 added is not there before; of what the later version added the document
// does not say so, and the knob decides.
func (w *Handlers) VersionHas(v, since apiversion.Version) bool {
	return v.AtLeast(since) || since == apiversion.AfterStable && !w.K().LaterOnly
}
