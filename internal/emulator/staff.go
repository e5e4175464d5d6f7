package emulator

import "slices"

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
