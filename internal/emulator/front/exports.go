package front

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"aqueduck/internal/emulator/api"
	"aqueduck/internal/emulator/api/fault"
	"aqueduck/internal/emulator/control"
)

// ServeExport serves a temporary URL. The log of requests shows whether credentials came along.
func (w *Server) ServeExport(rw http.ResponseWriter, r *http.Request) {
	entry := control.Request{Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery, Auth: r.Header.Get("Authorization") != ""}
	entry.Status = w.sendExport(rw, strings.TrimPrefix(r.URL.Path, api.StoragePath), r.URL.Query().Get("signature"))
	w.logRequest(entry)
}

func (w *Server) sendExport(rw http.ResponseWriter, id, signature string) int {
	w.Mu.Lock()
	j, k := w.FindJob(id), w.K().Export
	dead := j == nil || fmt.Sprint(j.Link) != signature || !w.TimeHeld().Before(j.Expires)
	var body []byte
	if !dead {
		body = w.BuildFile(j)
	}
	w.Mu.Unlock()
	status, kind := http.StatusOK, "application/octet-stream"
	if dead {
		status, kind, body = http.StatusForbidden, "text/html", []byte(fault.ProxyPage)
		if n, err := strconv.Atoi(k.Expired); err == nil {
			status = n
		}
		if k.Expired == "html" {
			status = http.StatusOK
		}
	}
	rw.Header().Set("Content-Type", kind)
	rw.Header().Set("Content-Length", strconv.Itoa(len(body)))
	rw.WriteHeader(status)
	_, _ = rw.Write(body) // the client may have disconnected
	return status
}
