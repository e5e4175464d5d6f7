package api

import (
	"strconv"

	"aqueduck/internal/emulator/api/answer"
	"aqueduck/internal/emulator/api/render"
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/jsontext"
)

// The admins, teams and tags of a workspace.

func listTags(w *Handlers, _ *Request) answer.Answer {
	return w.answerWholeList("list", "data", w.Setup.Cast.TagCount, func(b []byte, n int32) []byte { return render.AppendTag(w.Setup.Cast, b, n, false) })
}

func oneTag(w *Handlers, q *Request) answer.Answer {
	for n := range int32(w.Setup.Cast.TagCount) {
		if strconv.FormatInt(event.TagID(n), 10) == q.ID {
			return answer.OK(render.AppendTag(w.Setup.Cast, nil, n, false))
		}
	}
	return answer.NotFound("Tag")
}

// listedAdmins returns the records of the admins that the API shows.
func listedAdmins(w *Handlers) []jsontext.Record {
	shown := w.Setup.Cast.Admins
	if w.K().FormerAdmins {
		shown = w.Setup.Cast.Everyone
	}
	list := make([]jsontext.Record, len(shown))
	for n, a := range shown {
		list[n] = render.AdminRecord(w.Setup.Cast, a)
	}
	return list
}

func listAdmins(w *Handlers, _ *Request) answer.Answer {
	return w.answerRecords("admin.list", "admins", listedAdmins(w))
}

func oneAdmin(w *Handlers, q *Request) answer.Answer {
	return recordWithID(listedAdmins(w), q.ID, "Admin")
}

func oneTeam(w *Handlers, q *Request) answer.Answer {
	return recordWithID(render.TeamRecords(w.Setup.Cast, w.HoursSimulated()), q.ID, "Team")
}

// recordWithID answers the record of a list that has an id.
func recordWithID(list []jsontext.Record, id, kind string) answer.Answer {
	for _, r := range list {
		if r.FieldText("id") == id {
			p := &jsontext.Writer{}
			jsontext.WriteRecord(p, r)
			return answer.OK(p.Bytes)
		}
	}
	return answer.NotFound(kind)
}

// tokenOwner is the admin that every token belongs to.
func tokenOwner(w *Handlers) event.Admin { return w.Setup.Cast.Admins[0] }

// identifyAdmin serves GET /me: the admin that the token belongs to, and the workspace.
func identifyAdmin(w *Handlers, _ *Request) answer.Answer {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	p := &jsontext.Writer{}
	jsontext.WriteRecord(p, append(render.AdminRecord(w.Setup.Cast, tokenOwner(w)), jsontext.Column{Name: "email_verified", Value: true}))
	p.Bytes = p.Bytes[:len(p.Bytes)-1] // the record goes on
	p.Open("app")
	p.TextOrNull("type", "app")
	p.TextOrNull("id_code", w.WorkspaceID)
	p.TextOrNull("name", "Emulated workspace")
	p.TextOrNull("region", "US")
	p.TextOrNull("timezone", w.Zone.String())
	p.Int("created_at", w.Setup.Start.Unix()-event.Span)
	p.Bool("identity_verification", false)
	p.Close()
	p.Close()
	return answer.OK(p.Bytes)
}
