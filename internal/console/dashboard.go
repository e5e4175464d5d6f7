package console

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"aqueduck/load/failure"
)

// pinned are the saved queries of the dashboard, the most wanted first. It shows the first twelve that the warehouse can answer.
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
	Rows   []cardRow
	Failed string
	Known  bool // it has an answer, or an error
}

type cardRow struct {
	Name string
	tableCell
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
		var asked []savedQuery
		for _, name := range pinned {
			i := slices.IndexFunc(all, func(q savedQuery) bool { return q.Name == name && len(q.Lacks) == 0 })
			if i >= 0 && len(asked) < shownPinned {
				asked = append(asked, all[i])
			}
		}
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
	if done := d.filled[workspace]; done != nil {
		return done
	}
	done := make(chan struct{})
	d.filled[workspace] = done
	go func() {
		defer close(done)
		for _, q := range asked {
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

func (d *publishedData) newCard(q savedQuery) *dashboardCard {
	card := &dashboardCard{questionView: questionView{savedQuery: q}}
	a := d.knownAnswer(q)
	if a == nil {
		d.mu.Lock()
		defer d.mu.Unlock()
		card.Failed = d.failed[q.key()]
		card.Known = card.Failed != ""
		return card
	}
	card.Known = true
	card.drawAnswer(a.first(mostRows))
	drawn := slices.Index(a.Columns, card.Drawn)
	for i := range min(len(a.Rows), cardRows) {
		one := cardRow{Name: card.nameRow(a, a.Rows[i])}
		if drawn >= 0 {
			one.tableCell = card.Lines[i][drawn]
		}
		card.Rows = append(card.Rows, one)
	}
	return card
}
