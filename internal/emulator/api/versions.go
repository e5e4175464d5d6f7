package api

import "aqueduck/internal/emulator/apiversion"

// VersionHas reports whether a version has what another version added. Additions of 2.14 are missing before. The document does not say so for
// additions of the later version, so the knob LaterOnly decides.
func (w *Handlers) VersionHas(v, since apiversion.Version) bool {
	return v.AtLeast(since) || since == apiversion.AfterStable && !w.K().LaterOnly
}
