package front

import (
	"net/http"

	"aqueduck/internal/emulator/apiversion"
)

// requestedVersion returns the version that a request names, or the workspace's own when it names none (workspace-api 9.1).
func (w *Server) requestedVersion(r *http.Request) (apiversion.Version, bool) {
	text := r.Header.Get(w.Options.VersionHeader)
	if text == "" {
		text = w.Options.DefaultVersion
	}
	if w.K().IgnoreVersion != "" {
		text = w.K().IgnoreVersion
	}
	return apiversion.Parse(text)
}
