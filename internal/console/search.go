package console

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"aqueduck/load/failure"
)

// searchView is the page with the results of a search.
type searchView struct {
	pageView
	Query string
	Found []searchHit
}

type searchHit struct{ Kind, Name, Doc, Link, Comment string }

// mostFound limits the number of results.
const mostFound = 100

// searchPage finds pipelines, streams, runs and questions by a part of their names, and tables and columns by their comments, too.
func (c *Console) searchPage(ctx context.Context, r *http.Request) (string, framedPage, error) {
	v := &searchView{pageView: pageView{Title: "Search"}, Query: strings.TrimSpace(r.URL.Query().Get("q"))}
	o, err := c.readOverview(ctx)
	if err != nil || v.Query == "" {
		return "search", v, err
	}
	v.addMatches("pipeline", func(add func(name, doc, link string)) {
		for _, p := range o.Pipelines {
			add(p.Name, "", "/p/"+url.PathEscape(p.Name))
		}
	})
	v.addMatches("stream", func(add func(name, doc, link string)) {
		for _, p := range o.Pipelines {
			for _, s := range p.Streams {
				add(s.Stream, "read by "+p.Name, streamLink(s.Workspace, s.Stream))
			}
		}
	})
	v.addMatches("run", func(add func(name, doc, link string)) {
		for _, p := range o.Pipelines {
			for _, run := range p.Runs {
				add(run.Run, run.Outcome+" "+p.Name, "/runs/"+url.PathEscape(run.Run))
			}
		}
	})
	d, err := c.readPublished(ctx)
	if errors.Is(err, failure.ErrNothingPublished) {
		return "search", v, nil
	}
	if err != nil {
		return "", nil, err
	}
	all, err := c.savedQueries(d, "")
	v.addMatches("table", func(add func(name, doc, link string)) {
		for _, t := range d.Tables {
			add(t.Name, "in "+t.Schema, t.link())
		}
	})
	v.addMatches("question", func(add func(name, doc, link string)) {
		for _, q := range all {
			add(q.Question, q.Name, "/data/q/"+url.PathEscape(q.Name))
		}
	})
	v.addMatches("column", func(add func(name, doc, link string)) {
		for _, t := range d.Tables {
			for _, column := range t.Columns {
				if strings.Contains(strings.ToLower(column.Name), strings.ToLower(v.Query)) { // not all columns of a table that has the word
					add(column.Name, "of "+t.Schema+"."+t.Name, t.link()+"#"+url.PathEscape(column.Name))
				}
			}
		}
	})
	v.addComments(d)
	return "search", v, err
}

// addComments adds the tables and columns whose comments have the word, and whose names do not.
func (v *searchView) addComments(d *publishedData) {
	word := strings.ToLower(v.Query)
	add := func(kind, name, doc, link, comment string) {
		if len(v.Found) < mostFound && strings.Contains(strings.ToLower(comment), word) && !strings.Contains(strings.ToLower(name), word) {
			v.Found = append(v.Found, searchHit{kind, name, doc, link, comment})
		}
	}
	for _, t := range d.Tables {
		add("table", t.Name, "in "+t.Schema, t.link(), t.Doc)
	}
	for _, t := range d.Tables {
		for _, column := range t.Columns {
			add("column", column.Name, "of "+t.Schema+"."+t.Name, t.link()+"#"+url.PathEscape(column.Name), column.Doc)
		}
	}
}

// addMatches adds the items of a kind that have the word in their names or descriptions.
func (v *searchView) addMatches(kind string, each func(add func(name, doc, link string))) {
	word := strings.ToLower(v.Query)
	each(func(name, doc, link string) {
		if len(v.Found) < mostFound && strings.Contains(strings.ToLower(name+" "+doc), word) {
			v.Found = append(v.Found, searchHit{kind, name, doc, link, ""})
		}
	})
}
