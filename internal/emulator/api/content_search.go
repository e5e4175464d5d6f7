package api

import (
	"slices"
	"strings"

	"aqueduck/internal/emulator/api/answer"
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/jsontext"
	"aqueduck/internal/emulator/search"
	"aqueduck/internal/emulator/state/content"
)

// searchInternalArticles serves GET /internal_articles/search (workspace-api 4.11): articles with a phrase in their title or body, in any
// case, and those of a folder. The later version includes the folders inside it.
func searchInternalArticles(w *Handlers, q *Request) answer.Answer {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	m, as := w.ContentMaker(q)
	phrase, folder := strings.ToLower(q.Query.Get("phrase")), q.Query.Get("folder_id")
	inside := map[any]bool{folder: true}
	if folder != "" {
		if _, found := w.FindItem(event.Folders, folder); !found {
			return answer.NotFound("Folder")
		}
		if q.Version.HasLaterChanges() {
			w.AddFoldersInside(inside)
		}
	}
	list := slices.DeleteFunc(w.ListItems(event.InternalArticles), func(i content.Item) bool {
		r := m.RenderItem(i, as)
		return folder != "" && !inside[content.FolderOf(i)] || !strings.Contains(strings.ToLower(r.FieldText("title")+"\n"+r.FieldText("body")), phrase)
	})
	return foundPage(w, q, 50, "internal_articles", list, "")
}

// searchArticles serves GET /articles/search: articles with a phrase in their title, description or body, in any case, the latest change
// first; with state, those of a state. With highlight=true the answer shows where titles and descriptions have the phrase.
func searchArticles(w *Handlers, q *Request) answer.Answer {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	m, as := w.ContentMaker(q)
	phrase, state := strings.ToLower(q.Query.Get("phrase")), q.Query.Get("state")
	list := slices.DeleteFunc(content.NewestFirst(w.ListItems(event.Articles)), func(i content.Item) bool {
		r := m.RenderItem(i, as)
		words := strings.Join([]string{r.FieldText("title"), r.FieldText("description"), r.FieldText("body")}, "\n")
		return state != "" && state != "all" && r.FieldText("state") != state || !strings.Contains(strings.ToLower(words), phrase)
	})
	if q.Query.Get("highlight") != "true" {
		phrase = ""
	}
	return foundPage(w, q, 25, "articles", list, phrase)
}

// foundPage answers a page of a search for content: data is an object with the records and with the places of the phrase in them, if the
// phrase is not empty.
func foundPage(w *Handlers, q *Request, usual int, key string, list []content.Item, phrase string) answer.Answer {
	at, good := q.numberedPage(usual, 250)
	if !good {
		return badNumber()
	}
	if w.K().EmptyLists {
		list = nil
	}
	m, as := w.ContentMaker(q)
	p, lights := &jsontext.Writer{Bytes: []byte(`{"type":"list","data":{`)}, &jsontext.Writer{}
	p.OpenList(key)
	first, last := at.pageBounds(len(list))
	for _, i := range list[first:last] {
		r := m.RenderItem(i, as)
		p.WriteKey("")
		jsontext.WriteRecord(p, r)
		if phrase == "" {
			continue
		}
		lights.OpenItem()
		lights.TextOrNull("article_id", event.ContentText(i.Kind, i.N))
		lights.OpenList("highlighted_title")
		writeHighlights(lights, r.FieldText("title"), phrase)
		lights.CloseList()
		lights.OpenList("highlighted_summary")
		lights.OpenList("")
		writeHighlights(lights, r.FieldText("description"), phrase)
		lights.CloseList()
		lights.CloseList()
		lights.Close()
	}
	p.CloseList()
	p.OpenList("highlights")
	p.Bytes = append(p.Bytes, lights.Bytes...)
	p.CloseList()
	p.Close()
	return answer.OK(closeEnvelope(w, p.Bytes, q, search.Page{Number: at.page, PerPage: at.per, Total: len(list), More: last < len(list)}))
}

// writeHighlights writes a text in pieces: those that are the phrase, in any case, and those that are not.
func writeHighlights(p *jsontext.Writer, text, phrase string) {
	put := func(kind, piece string) {
		if piece != "" {
			p.OpenItem()
			p.TextOrNull("type", kind)
			p.TextOrNull("text", piece)
			p.Close()
		}
	}
	for at := 0; at < len(text); {
		if len(text)-at >= len(phrase) && strings.EqualFold(text[at:at+len(phrase)], phrase) {
			put("plain", text[:at])
			put("highlight", text[at:at+len(phrase)])
			text, at = text[at+len(phrase):], 0
			continue
		}
		at++
	}
	put("plain", text)
}

// newsfeedItems serves GET /news/newsfeeds/{id}/items: the news items of a newsfeed, by page number.
func newsfeedItems(w *Handlers, q *Request) answer.Answer {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	_, found := w.FindItem(event.Newsfeeds, q.ID)
	if !found {
		return answer.NotFound("Newsfeed")
	}
	return w.pageOf(q, 10, 10, slices.DeleteFunc(w.ListItems(event.NewsItems), func(i content.Item) bool {
		return content.FeedPlace(content.PlacesOf(i), q.ID) < 0
	}))
}
