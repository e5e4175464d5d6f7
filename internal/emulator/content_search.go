package emulator

import (
	"slices"
	"strings"

	"aqueduck/internal/emulator/event"
)

// searchInternalArticles is GET /internal_articles/search (workspace-api 4.11): those whose title or body has a phrase in it, in
// any case, and those of a folder; in the later version also of the folders inside it.
func searchInternalArticles(w *server, q *request) answer {
	w.mu.Lock()
	defer w.mu.Unlock()
	m, as := w.writer(q)
	phrase, folder := strings.ToLower(q.query.Get("phrase")), q.query.Get("folder_id")
	inside := map[any]bool{folder: true}
	if folder != "" {
		if _, found := w.itemNamed(event.Folders, folder); !found {
			return notFound("Folder")
		}
		if q.version.later() {
			w.addInside(inside)
		}
	}
	list := slices.DeleteFunc(w.standing(event.InternalArticles), func(i item) bool {
		r := m.record(i, as)
		return folder != "" && !inside[folderOf(i)] || !strings.Contains(strings.ToLower(r.text("title")+"\n"+r.text("body")), phrase)
	})
	return w.pageOf(q, 50, 250, list)
}

// addInside adds the folders that lie in those that are there, however deep.
func (w *contentDesk) addInside(inside map[any]bool) {
	list := w.standing(event.Folders)
	for before := 0; before < len(inside); {
		before = len(inside)
		for _, i := range list {
			if parent := parentFolder(i); parent != nil && inside[parent] {
				inside[event.ContentText(event.Folders, i.N)] = true
			}
		}
	}
}

// text is a field of a record that is text.
func (r record) text(name string) string {
	for _, c := range r {
		if s, isText := c.value.(string); isText && c.name == name {
			return s
		}
	}
	return ""
}

// newsfeedItems is GET /news/newsfeeds/{id}/items: the news items that are in a newsfeed, by page number.
func newsfeedItems(w *server, q *request) answer {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, found := w.itemNamed(event.Newsfeeds, q.id)
	if !found {
		return notFound("Newsfeed")
	}
	return w.pageOf(q, 10, 10, slices.DeleteFunc(w.standing(event.NewsItems), func(i item) bool {
		return inFeed(placesOf(i), q.id) < 0
	}))
}
