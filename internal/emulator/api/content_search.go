package api

import (
	"slices"
	"strings"

	"aqueduck/internal/emulator/api/answer"
	"aqueduck/internal/emulator/event"
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
	return w.pageOf(q, 50, 250, list)
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
