package console

import (
	"context"
	"net/http"
	"net/url"
	"strings"
)

// searchView is what a word is found in.
type searchView struct {
	view
	Query string
	Found []found
}

type found struct{ Kind, Name, Doc, Link string }

// mostFound is more than anybody reads.
const mostFound = 100

// searchPage finds pipelines, streams and runs by a part of their names.
func (c *Console) searchPage(ctx context.Context, r *http.Request) (string, framed, error) {
	v := &searchView{view: view{Title: "Search"}, Query: strings.TrimSpace(r.URL.Query().Get("q"))}
	o, err := c.overview(ctx)
	if err != nil || v.Query == "" {
		return "search", v, err
	}
	v.find("pipeline", func(add func(name, doc, link string)) {
		for _, p := range o.Pipelines {
			add(p.Name, "", "/p/"+url.PathEscape(p.Name))
		}
	})
	v.find("stream", func(add func(name, doc, link string)) {
		for _, p := range o.Pipelines {
			for _, s := range p.Streams {
				add(s.Stream, "read by "+p.Name, "/p/"+url.PathEscape(p.Name)+"#"+url.PathEscape(s.Stream))
			}
		}
	})
	v.find("run", func(add func(name, doc, link string)) {
		for _, p := range o.Pipelines {
			for _, run := range p.Runs {
				add(run.Run, run.Outcome+" "+p.Name, "/runs/"+url.PathEscape(run.Run))
			}
		}
	})
	return "search", v, nil
}

// find adds those of a kind whose names have the word.
func (v *searchView) find(kind string, each func(add func(name, doc, link string))) {
	word := strings.ToLower(v.Query)
	each(func(name, doc, link string) {
		if len(v.Found) < mostFound && strings.Contains(strings.ToLower(name), word) {
			v.Found = append(v.Found, found{kind, name, doc, link})
		}
	})
}
