package console

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"aqueduck/load/failure"
)

// searchView is the page with the results of a search.
type searchView struct {
	pageView
	Query string
	Kinds []searchGroup
}

// searchGroup are the results of one kind: those with the word in their names come before those with it in their comments.
type searchGroup struct {
	Kind  string // as the heading says it
	Hits  []searchHit
	Found int // results of the kind, also those that are not among Hits
}

type searchHit struct{ Name, Doc, Link, Comment string }

// mostFound limits the number of results of one kind.
const mostFound = 40

// searchPage finds pipelines, streams, runs and questions by a part of their names, and tables and columns by their comments, too.
func (c *Console) searchPage(ctx context.Context, r *http.Request) (string, framedPage, error) {
	v := &searchView{pageView: pageView{Title: "Search"}, Query: strings.TrimSpace(r.URL.Query().Get("q"))}
	o, err := c.readOverview(ctx)
	if err != nil || v.Query == "" {
		return "search", v, err
	}
	v.addMatches("Pipelines", func(add func(name, doc, link string)) {
		for _, p := range o.Pipelines {
			add(p.Name, "", "/p/"+url.PathEscape(p.Name))
		}
	})
	v.addMatches("Streams", func(add func(name, doc, link string)) {
		for _, p := range o.Pipelines {
			for _, s := range p.Streams {
				add(s.Stream, "read by "+p.Name, streamLink(s.Workspace, s.Stream))
			}
		}
	})
	if err := v.addPublished(ctx, c); err != nil && !errors.Is(err, failure.ErrNothingPublished) {
		return "", nil, err
	}
	v.addMatches("Runs", func(add func(name, doc, link string)) {
		for _, p := range o.Pipelines {
			for _, run := range p.Runs {
				add(run.Run, run.Outcome+" "+p.Name, "/runs/"+url.PathEscape(run.Run))
			}
		}
	})
	return "search", v, nil
}

// addPublished adds the questions, tables and columns of the published file.
func (v *searchView) addPublished(ctx context.Context, c *Console) error {
	d, err := c.readPublished(ctx)
	if err != nil {
		return err
	}
	all, err := c.savedQueries(d, "")
	if err != nil {
		return err
	}
	v.addMatches("Questions", func(add func(name, doc, link string)) {
		for _, q := range all {
			add(q.Question, q.Name, "/data/q/"+url.PathEscape(q.Name))
		}
	})
	v.addMatches("Tables", func(add func(name, doc, link string)) {
		for _, t := range d.Tables {
			add(t.Name, "in "+t.Schema, t.link())
		}
	})
	v.addMatches("Columns", func(add func(name, doc, link string)) {
		for _, t := range d.Tables {
			for _, column := range t.Columns {
				if strings.Contains(strings.ToLower(column.Name), strings.ToLower(v.Query)) { // not all columns of a table that has the word
					add(column.Name, "of "+t.Schema+"."+t.Name, t.link()+"#"+url.PathEscape(column.Name))
				}
			}
		}
	})
	v.addComments(d)
	return nil
}

// addComments adds the tables and columns whose comments have the word, and whose names do not.
func (v *searchView) addComments(d *publishedData) {
	word := strings.ToLower(v.Query)
	add := func(kind, name, doc, link, comment string) {
		if strings.Contains(strings.ToLower(comment), word) && !strings.Contains(strings.ToLower(name), word) {
			v.addHit(kind, searchHit{name, doc, link, comment})
		}
	}
	for _, t := range d.Tables {
		add("Tables", t.Name, "in "+t.Schema, t.link(), t.Doc)
	}
	for _, t := range d.Tables {
		for _, column := range t.Columns {
			add("Columns", column.Name, "of "+t.Schema+"."+t.Name, t.link()+"#"+url.PathEscape(column.Name), column.Doc)
		}
	}
}

// addMatches adds the items of a kind that have the word in their names or descriptions.
func (v *searchView) addMatches(kind string, each func(add func(name, doc, link string))) {
	word := strings.ToLower(v.Query)
	each(func(name, doc, link string) {
		if strings.Contains(strings.ToLower(name+" "+doc), word) {
			v.addHit(kind, searchHit{name, doc, link, ""})
		}
	})
}

// addHit adds a result to the group of its kind, which is made where it is missing.
func (v *searchView) addHit(kind string, hit searchHit) {
	i := slices.IndexFunc(v.Kinds, func(g searchGroup) bool { return g.Kind == kind })
	if i < 0 {
		i, v.Kinds = len(v.Kinds), append(v.Kinds, searchGroup{Kind: kind})
	}
	g := &v.Kinds[i]
	if g.Found++; len(g.Hits) < mostFound {
		g.Hits = append(g.Hits, hit)
	}
}
