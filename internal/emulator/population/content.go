package population

import (
	"strconv"

	"aqueduck/internal/emulator/event"
)

// contentAtBirth is the number of items of each kind at hour 0: more than one page of each list that is paged.
var contentAtBirth = [event.ContentKinds]int{60, 55, 25, 12, 23, 8, 56, 23}

// drawBornContent draws the content of hour 0, with the number of edits until then.
func drawBornContent(seed uint64, start int64) (all [event.ContentKinds][]event.BornContent) {
	for kind := range event.ContentKinds {
		for n := range int32(contentAtBirth[kind]) {
			r := event.NewRNG(seed, event.ForContent, uint64(kind), uint64(n))
			i := event.BornContent{Kind: kind, N: n, Created: start - event.Span + int64(r.IntN(event.Span-40*event.Day)), Edits: r.IntN(4)}
			i.Updated = i.Created + int64(i.Edits)*int64(r.IntN(8*event.Day))
			all[kind] = append(all[kind], i)
		}
	}
	return all
}

// drawPiece returns the properties of the nth piece of content of a kind.
func drawPiece(kind event.ContentKind, n int32) (p event.Piece) {
	switch kind {
	case event.Articles:
		if n%6 != 5 {
			p.Parent = event.ContentText(event.Collections, n%int32(contentAtBirth[event.Collections]))
		}
		p.Views, p.ViewsIn, p.Happy, p.Sad, p.ViewsPerReaction, p.ViewsPerTalk = int64(1+n%5), 1, int64(n%3)*20, 40, 20, 50
	case event.InternalArticles:
		p.Untimed = n%7 == 0
	case event.Collections, event.Folders:
		p.Parent = parentOf(kind, n)
	case event.NewsItems:
		p.Feed = event.ContentText(event.Newsfeeds, n%5)
	case event.DynamicContents:
		p.Key, p.Block = "key_"+strconv.Itoa(int(n)), n%2 == 1
	}
	if (kind == event.Articles || kind == event.InternalArticles) && n%3 != 0 {
		p.Folder = event.ContentText(event.Folders, n%int32(contentAtBirth[event.Folders]))
	}
	return p
}

// parentOf returns the id of an item's parent. The first items have none. A folder's parent is a few numbers before it, so some folders are
// nested deep.
func parentOf(kind event.ContentKind, n int32) string {
	switch {
	case n < 4:
		return ""
	case kind == event.Folders:
		return event.ContentText(kind, n-4+n%2)
	}
	return event.ContentText(kind, n%4)
}

// drawWording draws the text of a piece of content after a number of edits.
func drawWording(cast *event.Cast, seed uint64, kind event.ContentKind, n int32, edits int) (w event.Wording) {
	r := event.NewRNG(seed, event.ForContent, 2<<32, uint64(kind), uint64(n), uint64(edits))
	w.Title = r.PickText(articleTitles) + " " + strconv.Itoa(int(n)) + "." + strconv.Itoa(edits)
	admin := func() int64 { return cast.Admins[r.IntN(len(cast.Admins))].ID }
	switch kind {
	case event.Articles:
		w.Draft = r.Chance(0.2)
		w.Author, w.Body, w.Description = admin(), hitlWords(r), r.PickText([]string{"", "What to do & when"})
		w.Body = "<p>" + w.Body + "</p>" + drawnReference(n)
	case event.InternalArticles:
		if w.Owner = admin(); n%9 == 4 {
			w.Owner = 0
		}
		w.Body, w.Author, w.Locale = "<p>"+hitlWords(r)+"</p>", admin(), r.PickText([]string{"en", "de"})
	case event.Collections:
		w.Description = r.PickText([]string{"", "a & b"})
	case event.NewsItems:
		w.Body, w.Author = "<p>"+hitlWords(r)+"</p>", admin()
	case event.DynamicContents:
		w.Other, w.Body = hitlWords(r), hitlWords(r)
		if n%4 == 2 {
			w.Other = ""
		}
	case event.Connectors:
		w.State, w.Method = r.PickText([]string{"live", "draft"}), r.PickText([]string{"get", "post", "put", "patch", "delete"})
	}
	return w
}

// drawnReference returns the reference in the bodies of some articles: even numbers of the first dynamic contents are inline, odd ones are
// blocks.
func drawnReference(n int32) string {
	switch n % 10 {
	case 3:
		return "<p>" + event.DynamicReference("span", "key_"+strconv.Itoa(int(n/10%3*2))) + "</p>"
	case 7:
		return event.DynamicReference("div", "key_"+strconv.Itoa(int(n/10%2*2+1)))
	}
	return ""
}

// DrawVersionNote draws the note about the nth version of a data connector.
func DrawVersionNote(seed uint64, connector int32, n int) string {
	r := event.NewRNG(seed, event.ForContent, 3<<32, uint64(connector), uint64(n))
	return r.PickText([]string{"", "retry & wait", "Größe"})
}
