package api

import (
	"net/http"
	"slices"

	"aqueduck/internal/emulator/api/answer"
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/jsontext"
	"aqueduck/internal/emulator/search"
	"aqueduck/internal/emulator/state/content"
)

// ContentMaker returns the renderer of content and the options of a request. The caller holds the lock.
func (w *Handlers) ContentMaker(q *Request) (content.Maker, content.RenderOptions) {
	return w.NewMaker(), content.RenderOptions{Version: q.Version, Now: w.UnixNow(), Plain: w.K().NoDynamicContent}
}

// listByPageRoute lists the items of a kind by page number, in the order of their creation.
func listByPageRoute(kind event.ContentKind, usual, most int) func(w *Handlers, q *Request) answer.Answer {
	return func(w *Handlers, q *Request) answer.Answer {
		w.Mu.Lock()
		defer w.Mu.Unlock()
		return w.pageOf(q, usual, most, w.ListItems(kind))
	}
}

func (w *Handlers) pageOf(q *Request, usual, most int, list []content.Item) answer.Answer {
	m, as := w.ContentMaker(q)
	return w.answerNumberedPage(q, usual, most, len(list), func(b []byte, i int) []byte {
		p := &jsontext.Writer{Bytes: b}
		jsontext.WriteRecord(p, m.RenderItem(list[i], as))
		return p.Bytes
	})
}

// singleItemRoute answers one item of a kind. An article has its statistics there (workspace-api 4.6).
func singleItemRoute(kind event.ContentKind) func(w *Handlers, q *Request) answer.Answer {
	return func(w *Handlers, q *Request) answer.Answer {
		w.Mu.Lock()
		defer w.Mu.Unlock()
		i, found := w.FindItem(kind, q.ID)
		if !found {
			return answer.NotFound("Resource")
		}
		m, as := w.ContentMaker(q)
		as.Whole = true
		p := &jsontext.Writer{}
		jsontext.WriteRecord(p, m.RenderItem(i, as))
		return answer.OK(p.Bytes)
	}
}

// listArticles serves GET /articles: the latest change first (api-notes).
func listArticles(w *Handlers, q *Request) answer.Answer {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	return w.pageOf(q, 25, 250, content.NewestFirst(w.ListItems(event.Articles)))
}

// listFolders serves GET /folders: all folders, or those of one parent folder (workspace-api 4.11).
func listFolders(w *Handlers, q *Request) answer.Answer {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	list, parent := w.ListItems(event.Folders), q.Query.Get("parent_folder_id")
	if parent == "" && w.K().TopFolders {
		list = slices.DeleteFunc(list, func(i content.Item) bool { return content.ParentFolder(i) != nil })
	}
	if parent != "" {
		list = slices.DeleteFunc(list, func(i content.Item) bool { return content.ParentFolder(i) != any(parent) })
	}
	return w.pageOf(q, 50, 150, list)
}

// noDynamicContent is the answer of a workspace where dynamic content is disabled (workspace-api 5.4).
func noDynamicContent() answer.Answer {
	return answer.Failure(http.StatusForbidden, "forbidden", "dynamic content is disabled for this workspace")
}

// listDynamicContents serves GET /dynamic_contents: the latest change first. The counters stand in the envelope itself, and there is no pages
// object (api-notes).
func listDynamicContents(w *Handlers, q *Request) answer.Answer {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	at, good := q.numberedPage(50, 50)
	switch {
	case w.K().NoDynamicContent:
		return noDynamicContent()
	case !good:
		return badNumber()
	}
	list := content.NewestFirst(w.ListItems(event.DynamicContents))
	if w.K().EmptyLists {
		list = nil
	}
	m, as := w.ContentMaker(q)
	p := &jsontext.Writer{Bytes: openList(nil, "list", "data")}
	first, last := at.pageBounds(len(list))
	for _, i := range list[first:last] {
		p.WriteKey("")
		jsontext.WriteRecord(p, m.RenderItem(i, as))
	}
	p.CloseList()
	p.Int("total_count", int64(len(list)))
	p.Int("page", int64(at.page))
	p.Int("per_page", int64(at.per))
	p.Int("total_pages", int64((len(list)+at.per-1)/at.per))
	p.Close()
	return answer.OK(p.Bytes)
}

func oneDynamicContent(w *Handlers, q *Request) answer.Answer {
	if w.K().NoDynamicContent {
		return noDynamicContent()
	}
	return singleItemRoute(event.DynamicContents)(w, q)
}

// listConnectors serves GET /data_connectors, by cursor.
func listConnectors(w *Handlers, q *Request) answer.Answer {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	m, as := w.ContentMaker(q)
	var list []jsontext.Record
	for _, i := range w.ListItems(event.Connectors) {
		list = append(list, m.RenderItem(i, as))
	}
	return w.answerCursorPage(q, "GET /data_connectors", list)
}

// listConnectorVersions serves GET /data_connectors/{id}/versions, the newest first (workspace-api 4.11).
func listConnectorVersions(w *Handlers, q *Request) answer.Answer {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	i, found := w.FindItem(event.Connectors, q.ID)
	if !found {
		return answer.NotFound("Data connector")
	}
	m, _ := w.ContentMaker(q)
	var list []jsontext.Record
	for n := i.Edits; n >= 0; n-- {
		list = append(list, m.RenderVersion(i, n))
	}
	return w.answerCursorPage(q, "GET /data_connectors/"+q.ID+"/versions", list)
}

func oneConnectorVersion(w *Handlers, q *Request) answer.Answer {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	i, found := w.FindItem(event.Connectors, q.ID)
	m, _ := w.ContentMaker(q)
	for n := 0; found && n <= i.Edits; n++ {
		if event.VersionID(i.N, n) == q.Inner {
			p := &jsontext.Writer{}
			jsontext.WriteRecord(p, m.RenderVersion(i, n))
			return answer.OK(p.Bytes)
		}
	}
	return answer.NotFound("Data connector version")
}

// answerCursorPage answers one page of records by a cursor in the query: 20 a page, at most 50 (api-notes). The cursor is an offset, so a list
// that grows at its head during a walk repeats some records.
func (w *Handlers) answerCursorPage(q *Request, question string, list []jsontext.Record) answer.Answer {
	per, good := q.perPage(20, 50)
	if !good {
		return badNumber()
	}
	at := search.Cursor{Page: 1}
	if token := q.Query.Get("starting_after"); token != "" {
		if at, good = w.SearchEnv.DecodeCursor(token, question, q.N); !good {
			return badCursor()
		}
	}
	if w.K().EmptyLists {
		list = nil
	}
	first := min(int(at.Offset), len(list))
	last := min(first+per, len(list))
	p := &jsontext.Writer{Bytes: openList(nil, "list", "data")}
	for _, r := range list[first:last] {
		p.WriteKey("")
		jsontext.WriteRecord(p, r)
	}
	place := search.Page{Number: int(at.Page), PerPage: per, Total: len(list), More: last < len(list)}
	if place.More {
		place.Token = w.SearchEnv.EncodeCursor(search.Cursor{Offset: int64(last), Page: at.Page + 1}, question, q.N)
	}
	return answer.OK(w.closeList(p.Bytes, q, place))
}
