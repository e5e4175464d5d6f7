package emulator

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// ErrNoAdmin is answered when somebody acts or is put in charge who is no admin, or is one no longer.
var ErrNoAdmin = errors.New("no such admin")

// ErrNoTeam is answered when a team is put in charge that there is not.
var ErrNoTeam = errors.New("no such team")

type admin struct {
	id    int64
	name  string
	email string
}

// Two ids are beyond 2^53: readers that go through floats change them (trap T124).
var admins = []admin{
	{814860, "Ada Admin", "ada@acme.example"}, {814861, "Боб", "bob@acme.example"}, {9007199254740993, "Größe", "big@acme.example"},
	{200963802864963123, "Huge", "huge@acme.example"}, {9223372036854775807, "Max", "max@acme.example"}, {5, "Five", "five@acme.example"},
}

// former are admins who were deleted in the year before hour 0: what they wrote and did still names them, and the list of
// admins has them no longer.
var former = []admin{
	{814801, "Gone Gustav", "gustav@acme.example"}, {9007199254740995, "Ушедшая Зоя", "zoya@acme.example"},
	{814803, "Left Léa", "lea@acme.example"}, {7, "Ex & Co", "ex+co@acme.example"},
}

// everyone are the admins that there ever were; entries of the activity log name them by their places here.
var everyone = slices.Concat(admins, former)

// leftAt is when the nth of the former admins was deleted: 340, 240, 140 and 40 days before hour 0.
func leftAt(n int, start int64) int64 { return start - int64(340-100*n)*day }

// someone draws one of those who were admins at a time, by the place in everyone.
func someone(r *rng, at, start int64) int {
	n := r.n(len(everyone))
	if gone := n - len(admins); gone >= 0 && at >= leftAt(gone, start) {
		return gone
	}
	return n
}

// adminNamed finds one of the admins that there are now by the id.
func adminNamed(id string) (admin, error) {
	i := slices.IndexFunc(admins, func(a admin) bool { return strconv.FormatInt(a.id, 10) == id })
	if i < 0 {
		return admin{}, fmt.Errorf("admin %q: %w", id, ErrNoAdmin)
	}
	return admins[i], nil
}

func adminAuthor(a admin) author {
	return author{Type: "admin", ID: strconv.FormatInt(a.id, 10), Name: a.name, Email: a.email}
}

// actor is who does something in a workspace without a customer: an admin by the id, or the AI operator by its own.
func actor(id string) (author, error) {
	if id == aiBot.ID {
		return aiBot, nil
	}
	a, err := adminNamed(id)
	return adminAuthor(a), err
}

// teamNamed finds a team by its id. The lock is held.
func (w *Workspace) teamNamed(id string) (int64, error) {
	for _, team := range teamRecords(w.hours) {
		if team.row()["id"] == id {
			return strconv.ParseInt(id, 10, 64)
		}
	}
	return 0, fmt.Errorf("team %q: %w", id, ErrNoTeam)
}
