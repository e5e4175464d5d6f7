package emulator

import (
	"net/http"
	"slices"
	"sync"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/jsontext"
	"aqueduck/internal/emulator/search"
)

// author is who draws content. The lock is held.
func (w *contentDesk) author() contentMaker {
	by := sync.OnceValue(func() map[string]item { return keyed(w.content[event.DynamicContents]) })
	return contentMaker{w.cfg.Seed, w.cfg.Start.Unix(), w.workspace, by}
}

// writer gives who draws content, and how the request reads it. The lock is held.
func (w *server) writer(q *request) (contentMaker, reading) {
	return w.author(), reading{version: q.version, now: w.now(), plain: w.k().NoDynamicContent}
}

// paged answers the items of a kind by page number, in the order of their creation.
func paged(kind event.ContentKind, usual, most int) func(w *server, q *request) answer {
	return func(w *server, q *request) answer {
		w.mu.Lock()
		defer w.mu.Unlock()
		return w.pageOf(q, usual, most, w.standing(kind))
	}
}

func (w *server) pageOf(q *request, usual, most int, list []item) answer {
	m, as := w.writer(q)
	return w.numbered(q, usual, most, len(list), func(b []byte, i int) []byte {
		p := &jsontext.Writer{Bytes: b}
		writeRecord(p, m.record(list[i], as))
		return p.Bytes
	})
}

// single answers one item of a kind; an article has its statistics there (workspace-api 4.6).
func single(kind event.ContentKind) func(w *server, q *request) answer {
	return func(w *server, q *request) answer {
		w.mu.Lock()
		defer w.mu.Unlock()
		i, found := w.itemNamed(kind, q.id)
		if !found {
			return notFound("Resource")
		}
		m, as := w.writer(q)
		as.whole = true
		p := &jsontext.Writer{}
		writeRecord(p, m.record(i, as))
		return ok(p.Bytes)
	}
}

func (w *contentDesk) itemNamed(kind event.ContentKind, id string) (item, bool) {
	for _, i := range w.content[kind] {
		if event.ContentText(kind, i.N) == id {
			return i, !i.Removed
		}
	}
	return item{}, false
}

// listArticles is GET /articles: what was changed last comes first (api-notes).
func listArticles(w *server, q *request) answer {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.pageOf(q, 25, 250, latest(w.standing(event.Articles)))
}

// listFolders is GET /folders, those of one folder when that is asked for (workspace-api 4.11).
func listFolders(w *server, q *request) answer {
	w.mu.Lock()
	defer w.mu.Unlock()
	list, parent := w.standing(event.Folders), q.query.Get("parent_folder_id")
	if parent == "" && w.k().TopFolders {
		list = slices.DeleteFunc(list, func(i item) bool { return parentFolder(i) != nil })
	}
	if parent != "" {
		list = slices.DeleteFunc(list, func(i item) bool { return parentFolder(i) != any(parent) })
	}
	return w.pageOf(q, 50, 150, list)
}

// noDynamicContent is what a workspace without it answers (workspace-api 5.4).
func noDynamicContent() answer {
	return failure(http.StatusForbidden, "forbidden", "dynamic content is disabled for this workspace")
}

// listDynamicContents is GET /dynamic_contents: the latest change first; the counters lie flat in the envelope, and there is
// no pages (api-notes).
func listDynamicContents(w *server, q *request) answer {
	w.mu.Lock()
	defer w.mu.Unlock()
	at, good := q.numberedPage(50, 50)
	switch {
	case w.k().NoDynamicContent:
		return noDynamicContent()
	case !good:
		return badNumber()
	}
	list := latest(w.standing(event.DynamicContents))
	if w.k().EmptyLists {
		list = nil
	}
	m, as := w.writer(q)
	p := &jsontext.Writer{Bytes: openList(nil, "list", "data")}
	first, last := at.span(len(list))
	for _, i := range list[first:last] {
		p.Key("")
		writeRecord(p, m.record(i, as))
	}
	p.End()
	p.Int("total_count", int64(len(list)))
	p.Int("page", int64(at.page))
	p.Int("per_page", int64(at.per))
	p.Int("total_pages", int64((len(list)+at.per-1)/at.per))
	p.Close()
	return ok(p.Bytes)
}

func oneDynamicContent(w *server, q *request) answer {
	if w.k().NoDynamicContent {
		return noDynamicContent()
	}
	return single(event.DynamicContents)(w, q)
}

// listConnectors is GET /data_connectors, by cursor.
func listConnectors(w *server, q *request) answer {
	w.mu.Lock()
	defer w.mu.Unlock()
	m, as := w.writer(q)
	var list []record
	for _, i := range w.standing(event.Connectors) {
		list = append(list, m.record(i, as))
	}
	return w.cursored(q, "GET /data_connectors", list)
}

// listConnectorVersions is GET /data_connectors/{id}/versions, the newest first (workspace-api 4.11).
func listConnectorVersions(w *server, q *request) answer {
	w.mu.Lock()
	defer w.mu.Unlock()
	i, found := w.itemNamed(event.Connectors, q.id)
	if !found {
		return notFound("Data connector")
	}
	m, _ := w.writer(q)
	var list []record
	for n := i.Edits; n >= 0; n-- {
		list = append(list, m.version(i, n))
	}
	return w.cursored(q, "GET /data_connectors/"+q.id+"/versions", list)
}

func oneConnectorVersion(w *server, q *request) answer {
	w.mu.Lock()
	defer w.mu.Unlock()
	i, found := w.itemNamed(event.Connectors, q.id)
	m, _ := w.writer(q)
	for n := 0; found && n <= i.Edits; n++ {
		if event.VersionID(i.N, n) == q.inner {
			p := &jsontext.Writer{}
			writeRecord(p, m.version(i, n))
			return ok(p.Bytes)
		}
	}
	return notFound("Data connector version")
}

// cursored answers one page of records by a cursor in the query, 20 a page and at most 50 (api-notes). The cursor counts
// records: a list that grows at its head while it is walked gives some twice.
func (w *server) cursored(q *request, question string, list []record) answer {
	per, good := q.perPage(20, 50)
	if !good {
		return badNumber()
	}
	at := search.Cursor{Page: 1}
	if token := q.query.Get("starting_after"); token != "" {
		if at, good = w.env.Cursor(token, question, q.n); !good {
			return badCursor()
		}
	}
	if w.k().EmptyLists {
		list = nil
	}
	first := min(int(at.Offset), len(list))
	last := min(first+per, len(list))
	p := &jsontext.Writer{Bytes: openList(nil, "list", "data")}
	for _, r := range list[first:last] {
		p.Key("")
		writeRecord(p, r)
	}
	place := search.Page{Number: int(at.Page), PerPage: per, Total: len(list), More: last < len(list)}
	if place.More {
		place.Token = w.env.Hand(search.Cursor{Offset: int64(last), Page: at.Page + 1}, question, q.n)
	}
	return ok(w.closeList(p.Bytes, q, place))
}
