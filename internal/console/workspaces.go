package console

import (
	"context"
	"net/http"

	"aqueduck/internal/fleet"
)

// workspacesView is the page with a row for each workspace, whichever machine ran it last.
type workspacesView struct {
	pageView
	Rows []fleet.Row
}

// workspacesPage reads all workspaces.
func (o Options) workspacesPage(ctx context.Context, _ *http.Request) (string, framedPage, error) {
	rows, err := o.Workspaces(ctx)
	return "workspaces", &workspacesView{pageView{Title: "Workspaces", Here: "workspaces"}, rows}, err
}
