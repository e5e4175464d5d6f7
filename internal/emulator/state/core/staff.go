package core

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/population"
)

// Nobody is the id of the assignee that removes an assignment.
const Nobody = "0"

// ErrNoAdmin means that the actor or the assignee is not a current admin.
var ErrNoAdmin = errors.New("no such admin")

// ErrNoTeam means that the assigned team does not exist.
var ErrNoTeam = errors.New("no such team")

// FindAdmin returns a current admin by id.
func (w *Core) FindAdmin(id string) (event.Admin, error) {
	i := slices.IndexFunc(w.Setup.Cast.Admins, func(a event.Admin) bool { return strconv.FormatInt(a.ID, 10) == id })
	if i < 0 {
		return event.Admin{}, fmt.Errorf("admin %q: %w", id, ErrNoAdmin)
	}
	return w.Setup.Cast.Admins[i], nil
}

// NewAuthor returns an actor by id: an admin, or the AI operator.
func (w *Core) NewAuthor(id string) (event.Author, error) {
	if id == event.AIAgent.ID {
		return event.AIAgent, nil
	}
	a, err := w.FindAdmin(id)
	return population.AdminAuthor(a), err
}

// FindTeam returns the id of an existing team as a number. The caller holds the lock.
func (w *Core) FindTeam(id string) (int64, error) {
	for _, team := range w.Setup.Cast.Teams {
		if strconv.FormatInt(team.ID, 10) == id && w.HoursLived >= team.Hour {
			return team.ID, nil
		}
	}
	return 0, fmt.Errorf("team %q: %w", id, ErrNoTeam)
}
