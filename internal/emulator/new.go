package emulator

import (
	"fmt"
	"slices"
	"time"

	"aqueduck/internal/emulator/api"
	"aqueduck/internal/emulator/control"
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/front"
	"aqueduck/internal/emulator/population"
	"aqueduck/internal/emulator/population/team"
	"aqueduck/internal/emulator/state"
	"aqueduck/internal/emulator/state/core"
)

// New makes a workspace as of hour 0.
func New(c Config) *Workspace {
	c = withDefaults(c)
	w := &Workspace{noticeDesk: &noticeDesk{Server: newServer(c)}, operations: allOperations()}
	w.controls = control.New(w, w.workspaceInfo())
	w.OnOperation = func(name string, with []byte) ([]byte, error) { return w.runOperationHeld(name, with) }
	w.Contacts.OnAttached = func(company int32, at int64) {
		w.Companies.RecordCompanyEvent(event.CompanyEvent{At: at, Kind: event.CompanyUpdated, N: company})
	}
	w.Conversations.OnEvent, w.Conversations.AddCall = w.notifyConversation, w.Calls.AddCall
	w.Content.OnEvent, w.OnPassed = w.notifyContent, w.notifyElapsed
	if err := w.SetChaos(c.Chaos); err != nil {
		panic(err) // a programmer's mistake: CheckChaos reports errors in what users type
	}
	w.Contacts.SeedContacts(population.DrawContactLog(w.Contacts.Maker, c.Start.Unix(), c.Contacts, c.Inactive, c.Activities))
	w.ActionLog = w.Setup.Origin.Actions(c.Logs)
	w.Conversations.SeedConversations()
	w.Tickets.SeedTickets()
	w.Calls.SeedCalls(c.Calls)
	w.Companies.SeedCompanies()
	w.Content.SeedContent()
	w.DeletedBefore = population.DrawDeletions(c.Seed, c.Start.Unix(), c.Conversations)
	w.Deleted = append(slices.Clone(w.DeletedBefore), w.Deleted...)
	w.NoteTerms(c.Start.Unix())
	switch {
	case c.Live:
		w.Live()
	case c.Hours > 0 && c.Now == nil:
		w.SimulateHours(c.Hours)
	case c.Hours > 0:
		w.StandAt(c.Start.Add(time.Duration(c.Hours)*time.Hour), func() { w.SimulateHours(c.Hours) })
	}
	return w
}

// OfficeHours returns when the team of the population Team works: the hours of its weekdays in UTC, and the weekdays without work in the year of a time and
// in the year before, both as pipelines.yaml has them.
func OfficeHours(at time.Time) (weekdays string, holidays []string) {
	return team.OfficeHours(), team.Holidays(at)
}

// newServer makes the server of an empty workspace.
func newServer(c Config) *front.Server {
	base := core.New(core.Setup{Seed: c.Seed, Cast: castOf(c), Origin: originOf(c), Start: c.Start, Now: c.Now, Contacts: c.Contacts, Conversations: c.Conversations, Tickets: c.Tickets}, c.WorkspaceID, c.Zone, &c.Knobs)
	return front.New(state.New(base), c.Token, api.Options{DefaultVersion: c.DefaultVersion, VersionHeader: c.VersionHeader, Elsewhere: c.Elsewhere,
		RatePerMinute: c.RatePerMinute, NoLog: c.NoLog, Watch: c.Watch})
}

func withDefaults(c Config) Config {
	demo := c.Contacts == 0
	if demo {
		c.Contacts = 10_400
	}
	switch {
	case c.Conversations < 0:
		c.Conversations = 0
	case c.Conversations == 0 && demo:
		c.Conversations = 3000
	case c.Conversations == 0:
		c.Conversations = min(c.Contacts*3/10, 20_000)
	}
	if c.Tickets == 0 {
		c.Tickets = c.Conversations / map[bool]int{true: 8, false: 3}[c.Population == Team]
	}
	c.Tickets = max(0, c.Tickets)
	if c.Inactive == 0 {
		c.Inactive = max(c.Contacts/10, 8)
	}
	if c.Activities == 0 {
		c.Activities = 2 * c.Contacts
	}
	if c.Calls == 0 {
		c.Calls = c.Contacts / 13
	}
	if c.Logs == 0 {
		c.Logs = min(c.Contacts/2, 4000)
	}
	if c.Start.IsZero() {
		c.Start = time.Date(2024, 6, 15, 2, 0, 0, 0, time.UTC)
	}
	if c.Zone == nil {
		c.Zone = time.UTC
	}
	if c.Token == "" {
		c.Token = fmt.Sprintf("emulated_%016x", event.MixBits(c.Seed+1))
	}
	if c.WorkspaceID == "" {
		c.WorkspaceID = fmt.Sprintf("ws%06x", event.MixBits(c.Seed)&0xffffff)
	}
	if c.DefaultVersion == "" {
		c.DefaultVersion = "2.17"
	}
	if c.VersionHeader == "" {
		c.VersionHeader = "Service-Version"
	}
	return c
}

// originOf returns what the population is drawn from.
func originOf(c Config) population.Origin {
	from := population.Origin{Seed: c.Seed, Start: c.Start.Unix(), Contacts: c.Contacts, Cast: castOf(c)}
	if c.Population == Team {
		from.Script = team.New(c.Seed, c.Start.Unix(), c.Contacts)
	}
	return from
}

// castOf returns who works in the workspace, and the names of its small things.
func castOf(c Config) *event.Cast {
	if c.Population == Team {
		return team.Cast
	}
	return event.OddCast
}
