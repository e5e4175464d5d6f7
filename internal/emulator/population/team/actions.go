package team

import (
	"slices"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/population"
)

// rareActions are the kinds of the log besides logins, failed logins, away modes and exports.
var rareActions = []event.ActionKind{event.LoggedOut, event.PermissionsChanged, event.InvitationSent, event.InvitationChanged, event.ConversationLimitChanged, event.TicketLimitChanged}

// drawAction draws an action of a teammate at a time.
func (s *Script) drawAction(r *event.RNG, n int32, at int64) event.AdminAction {
	who := r.IntN(len(everyone))
	if former := who - len(admins); former >= 0 && at >= Cast.LeftAt(former, s.start) {
		who = former
	}
	kind := []event.ActionKind{event.LoggedIn, event.AwayModeChanged, event.LoginFailed, event.ContactsExported, rareActions[r.IntN(len(rareActions))]}[pick(r, 70, 22, 2, 2, 4)]
	return population.NewAction(s.seed, event.AdminAction{At: at, N: n, Kind: kind, Admin: uint8(who)})
}

// workAt returns a time of the office hours of the year before hour 0, at a share of them.
func (s *Script) workAt(share float64) int64 {
	begin := s.start - year
	return min(afterOffice(begin+int64(share*year), 0), s.start-settled)
}

// Actions draws the log of the year before hour 0: logins in the morning, away modes during the day, and who left.
func (s *Script) Actions(count int) []event.AdminAction {
	acts := make([]event.AdminAction, count)
	for i := range acts {
		r := event.NewRNG(s.seed, forActions, uint64(i))
		acts[i] = s.drawAction(r, int32(i), s.workAt((float64(i)+r.Float64())/float64(count)))
		if day, _ := dayOf(acts[i].At); acts[i].Kind == event.LoggedIn { // they log in when they begin to work
			acts[i].At = min(day*event.Day-zone+opens-900+int64(r.IntN(3600)), s.start-settled)
		} else {
			acts[i].At = min(day*event.Day-zone+opens+int64(r.IntN(workday)), s.start-settled)
		}
	}
	for n := range former {
		if i := len(acts) - 1 - n; i >= 0 {
			acts[i] = population.NewAction(s.seed, event.AdminAction{At: Cast.LeftAt(n, s.start), N: int32(i), Kind: event.AdminDeleted, Other: uint8(len(admins) + n)})
		}
	}
	slices.SortStableFunc(acts, func(a, b event.AdminAction) int { return int(a.At - b.At) })
	s.logged = acts
	return acts
}

// actionsOf draws the actions of an hour: more when the team begins to work.
func (s *Script) actionsOf(r *event.RNG, begin int64) (list []event.AdminAction) {
	if !isOpen(begin) {
		return nil
	}
	_, second := dayOf(begin)
	for range 1 + pick(r, 60, 40) + map[bool]int{true: 5}[second < opens+3600] {
		list = append(list, s.drawAction(r, 0, begin+int64(r.IntN(3600))))
	}
	return list
}
