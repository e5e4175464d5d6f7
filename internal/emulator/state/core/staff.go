package core

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/population"
)

// Nobody is whom things are assigned to that are assigned to nobody.
const Nobody = "0"

// ErrNoAdmin is answered when somebody acts or is put in charge who is no admin, or is one no longer.
var ErrNoAdmin = errors.New("no such admin")

// ErrNoTeam is answered when a team is put in charge that there is not.
var ErrNoTeam = errors.New("no such team")

// FindAdmin finds one of the admins that there are now by the id.
func FindAdmin(id string) (event.Admin, error) {
	i := slices.IndexFunc(event.Admins, func(a event.Admin) bool { return strconv.FormatInt(a.ID, 10) == id })
	if i < 0 {
		return event.Admin{}, fmt.Errorf("admin %q: %w", id, ErrNoAdmin)
	}
	return event.Admins[i], nil
}

// NewAuthor is who does something in a workspace without a customer: an admin by the id, or the AI operator by its own.
func NewAuthor(id string) (event.Author, error) {
	if id == event.AIAgent.ID {
		return event.AIAgent, nil
	}
	a, err := FindAdmin(id)
	return population.AdminAuthor(a), err
}

// FindTeam finds a team by its id. The lock is held.
func (w *Core) FindTeam(id string) (int64, error) {
	for _, team := range event.Teams {
		if strconv.FormatInt(team.ID, 10) == id && w.HoursLived >= team.Hour {
			return team.ID, nil
		}
	}
	return 0, fmt.Errorf("team %q: %w", id, ErrNoTeam)
}
