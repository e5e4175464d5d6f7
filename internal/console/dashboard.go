package console

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"time"

	"aqueduck/internal/answer"
	"aqueduck/load/failure"
)

// pinned are the saved queries of the dashboard where the configuration names none, the most wanted first. It shows the first twelve that the warehouse can answer.
var pinned = []string{"conversations_by_day", "replies_by_week", "backlog_by_day", "ratings_by_month", "contacts_by_week", "conversations_by_team", "conversations_by_channel", "workload_by_teammate",
	"tickets_by_state", "ai_deflection_by_month", "calls_by_week", "conversations_by_hour", "reopens_by_month", "contacts_by_country", "companies_by_size", "articles_by_views", "contacts_by_last_visit", "contacts_by_tag"}

// Limits of the dashboard.
const (
	shownPinned = 12
	cardRows    = 6               // of an answer without a picture
	waitForAll  = 2 * time.Second // a page that is asked for sooner lacks some answers, and asks again
)

// dashboardView is the page of the pinned questions.
type dashboardView struct {
	pageView
	Nothing bool // nothing is published yet
	Cards   []*dashboardCard
	Waiting bool // answers are still being computed
}

// dashboardCard is a question with its picture, or with the first rows of its answer.
type dashboardCard struct {
	questionView
	Rows   []answer.NamedValue
	Failed string
	Known  bool // it has an answer, or an error
	Old    bool // the answer is that of the published file before
}

func dashboardPage(c *Console) func(context.Context, *http.Request) (string, framedPage, error) {
	return func(ctx context.Context, r *http.Request) (string, framedPage, error) {
		v := &dashboardView{pageView: pageView{Title: "Questions", Here: "questions"}}
		d, err := c.readPublished(ctx)
		if errors.Is(err, failure.ErrNothingPublished) {
			v.Nothing = true
			return "dashboard", v, nil
		}
		if err != nil {
			return "", nil, err
		}
		all, err := c.savedQueries(d, workspaceOf(r))
		if err != nil {
			return "", nil, err
		}
		config, _ := c.o.Config()
		asked := pinnedOf(all, config.Pinned)
		select {
		case <-d.answerAll(all[0].Workspace, asked, c.ending):
		case <-time.After(waitForAll):
		case <-ctx.Done():
		}
		for _, q := range asked {
			card := d.newCard(q)
			v.Cards, v.Waiting = append(v.Cards, card), v.Waiting || !card.Known
		}
		return "dashboard", v, nil
	}
}

// answerAll answers questions about a workspace in the background, once for each published file. The channel is closed when all are answered.
func (d *publishedData) answerAll(workspace string, asked []savedQuery, ending <-chan struct{}) <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	key := workspace
	for _, q := range asked {
		key += " " + q.Name
	}
	if done := d.filled[key]; done != nil {
		return done
	}
	done := make(chan struct{})
	d.filled[key] = done
	go func() {
		defer close(done)
		for _, q := range asked {
			if len(q.Lacks) > 0 {
				continue
			}
			select {
			case <-ending:
				return
			default:
			}
			if _, err := d.runSavedQuery(context.Background(), q); err != nil {
				d.mu.Lock()
				d.failed[q.key()] = err.Error()
				d.mu.Unlock()
			}
		}
	}()
	return done
}

// newCard shows the answer of a question; while it is being computed, that of the published file before.
func (d *publishedData) newCard(q savedQuery) *dashboardCard {
	card := &dashboardCard{questionView: questionView{savedQuery: q}}
	d.mu.Lock()
	a, failed, before := d.answers[q.key()], d.failed[q.key()], d.before[q.key()]
	d.mu.Unlock()
	card.Failed, card.Known = failed, a != nil || failed != "" || len(q.Lacks) > 0
	if !card.Known && before != nil && q.hidesAs(before) {
		a, card.Old = before, true
	}
	if a != nil {
		card.View = answer.NewView(a.First(mostRows), q.Draw)
		card.Rows = card.NamedValues(cardRows)
	}
	return card
}

// hidesAs reports whether an answer hides what the query hides: what is personal may change between two published files.
func (q savedQuery) hidesAs(a *answer.Result) bool {
	return !slices.ContainsFunc(a.Columns, func(name string) bool { return q.personal[name] != slices.Contains(a.Hidden, name) })
}

// pinnedOf returns the questions of the dashboard: those that the configuration names, else the first twelve of pinned that the warehouse can answer.
func pinnedOf(all []savedQuery, named []string) (asked []savedQuery) {
	names := named
	if names == nil {
		names = pinned
	}
	for _, name := range names {
		i := slices.IndexFunc(all, func(q savedQuery) bool { return q.Name == name && (named != nil || len(q.Lacks) == 0) })
		if i >= 0 && (named != nil || len(asked) < shownPinned) {
			asked = append(asked, all[i])
		}
	}
	return asked
}

// earlierAnswers are the answers of a published file, and of the one before for what it does not have. They are shown until a newer file has its own.
func (d *publishedData) earlierAnswers() map[string]*answer.Result {
	if d == nil {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	all := map[string]*answer.Result{}
	maps.Copy(all, d.answers)
	for name, a := range d.before {
		if all[name] == nil {
			all[name] = a
		}
	}
	return all
}
