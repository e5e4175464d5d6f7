package cli

import (
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/emulator/control"
)

// oracleRows returns the sorted rows of every stream at a time, by the oracle of a served workspace.
func oracleRows(t *testing.T, address string, at time.Time) string {
	t.Helper()
	var all strings.Builder
	for _, stream := range emulator.OracleStreams() {
		rows := strings.FieldsFunc(requestBody(t, "GET", address+"/_oracle/"+stream+"?at="+url.QueryEscape(at.Format(time.RFC3339)), ""),
			func(r rune) bool { return r == '\n' })
		for i := range rows {
			rows[i] = strings.TrimLeft(rows[i], "[,")
		}
		slices.Sort(rows)
		all.WriteString(stream + ":\n" + strings.Join(rows, "\n"))
	}
	return all.String()
}

func clockOf(t *testing.T, address string) time.Time {
	t.Helper()
	var state control.WorkspaceState
	if err := json.Unmarshal([]byte(requestBody(t, "GET", address+"/_emulator/state", "")), &state); err != nil {
		t.Fatal(err)
	}
	return state.Clock
}

// stateBeforeKill is the state of a workspace when its process was killed.
type stateBeforeKill struct {
	at     time.Time
	oracle string
	cursor string // of the second page of contacts
}

// liveAndKill starts a workspace with a state file, triggers events in it, and kills it.
func liveAndKill(t *testing.T, file string) (then stateBeforeKill) {
	t.Helper()
	p, address := startEmulator(t, "--seed", "7", "--conversations", "20", "--hours", "2", "--zone", "Asia/Tokyo", "--state", file)
	do := func(name, with string) string {
		t.Helper()
		answer := requestBody(t, "POST", address+"/_emulator/do/"+name, with)
		if !strings.HasPrefix(answer, "{") {
			t.Fatalf("%s: %s", name, answer)
		}
		var made struct{ ID string }
		if err := json.Unmarshal([]byte(answer), &made); err != nil {
			t.Fatal(err)
		}
		return made.ID
	}
	lead, user := do("contacts.create", `{"role": "lead"}`), do("contacts.create", `{"role": "user", "set": {"custom_attributes.n": 12345678901234567890}}`)
	talk := do("conversations.open", `{"contact": "`+lead+`", "parts": 2}`)
	do("contacts.merge", `{"id": "`+lead+`", "into": "`+user+`"}`)
	do("live", `{"hours": 3}`)
	do("conversations.reply", `{"id": "`+talk+`", "by": "ai", "body": "it is <here>"}`)
	do("conversations.redact", `{"id": "`+talk+`"}`)
	do("set", `{"PartsCap": 2, "LagMax": "1h"}`)
	do("advance", `{"by": "5h"}`)
	do("rotate", `{"token": "rotated-token"}`)
	do("workspace-id", `{"id": "ws-other"}`)
	written := func(method, path, body string) {
		t.Helper()
		if answer := requestBody(t, method, address+path, body, "Authorization", "Bearer rotated-token"); strings.Contains(answer, `"error.list"`) {
			t.Fatalf("%s %s: %s", method, path, answer)
		}
	}
	written("POST", "/contacts", `{"external_id": "written", "email": "w@example.com", "email_verified": true, "custom_attributes": {"n": 1.50}}`)
	written("PUT", "/contacts/"+user, `{"name": "Wrītten", "phone": null}`)
	written("POST", "/contacts/bulk", `{"contacts": [{"external_id": "bulk"}, {"external_id": "written"}]}`)
	do("advance", `{"by": "10m"}`)                                                 // what was begun is over
	written("POST", "/contacts/bulk/delete", `{"contacts": [{"id": "`+user+`"}]}`) // and this is not when the process is killed
	if refused := requestBody(t, "POST", address+"/contacts", `{"external_id": "written"}`, "Authorization", "Bearer rotated-token"); !strings.Contains(refused, "conflict") {
		t.Errorf("written twice: %s", refused)
	}
	if refused := requestBody(t, "POST", address+"/_emulator/do/contacts.archive", `{"id": "nobody"}`); !strings.Contains(refused, "no such contact") {
		t.Errorf("archived nobody: %s", refused)
	}
	page := requestBody(t, "GET", address+"/contacts?per_page=5", "", "Authorization", "Bearer rotated-token")
	_, then.cursor, _ = strings.Cut(page, `"starting_after":"`)
	then.cursor, _, _ = strings.Cut(then.cursor, `"`)
	then.at = clockOf(t, address)
	then.oracle = oracleRows(t, address, then.at)
	for _, word := range []string{"written", "bulk", "Wrītten"} {
		if !strings.Contains(then.oracle, `"`+word+`"`) {
			t.Errorf("the oracle does not tell %s", word)
		}
	}
	p.killAndWait()
	return then
}

// restartFromState starts with the state file alone and compares.
func restartFromState(t *testing.T, file string, then stateBeforeKill) *testProcess {
	t.Helper()
	p := startProcess(t, "aqueduck", nil, "emulate", "--port", "0", "--state", file)
	p.waitForText(" sync --dir emulated\n")
	_, address, _ := strings.Cut(p.outputText(), "serving an emulated workspace on ")
	address, _, _ = strings.Cut(address, "\n")
	if now := oracleRows(t, address, then.at); now != then.oracle || len(now) < 100_000 {
		t.Errorf("the oracle tells %d bytes, before the restart %d", len(now), len(then.oracle))
	}
	if knobs := requestBody(t, "GET", address+"/_emulator/knobs", ""); !strings.Contains(knobs, `"PartsCap":2,`) {
		t.Errorf("knobs are %s", knobs)
	}
	if answer := requestBody(t, "GET", address+"/contacts?per_page=5&starting_after="+then.cursor, "", "Authorization", "Bearer rotated-token"); !strings.Contains(answer, "ws-other") {
		t.Errorf("with the token and the cursor of before: %.200s", answer)
	}
	if clock := clockOf(t, address); clock.Before(then.at) || clock.After(then.at.Add(time.Hour)) {
		t.Errorf("it is %s, before the restart it was %s", clock, then.at)
	}
	return p
}

func TestEmulateIsTheSameWorkspaceAfterAKill(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "state.ndjson")
	then := liveAndKill(t, file)
	p := restartFromState(t, file, then)
	other := startProcess(t, "aqueduck", nil, "emulate", "--port", "0", "--state", file)
	if code := other.exitCode(); code != 5 || !strings.Contains(other.outputText(), "error[busy] another aqueduck emulate serves the workspace of "+file) {
		t.Errorf("a second process on one file ended with %d:\n%s", code, other.outputText())
	}
	p.killAndWait()
	// The last line was incomplete when the process was killed.
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, append(whole, `{"at":"2026-11-20T02:0`...), 0o600); err != nil {
		t.Fatal(err)
	}
	p = restartFromState(t, file, then)
	if !strings.Contains(p.outputText(), "the last line of the state file is incomplete") {
		t.Errorf("nothing is said of it:\n%s", p.outputText())
	}
	p.killAndWait()
	if now, err := os.ReadFile(file); err != nil || string(now) != string(whole) {
		t.Errorf("the file is\n%s\nwas\n%s", now, whole)
	}
	restartFromState(t, file, then)
}

func TestEmulateRefusesADamagedOrForeignState(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "state.ndjson")
	liveAndKill(t, file)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	replaced := func(n int, line string) string {
		changed := append([]string{}, lines...)
		changed[n] = line
		return strings.Join(changed, "")
	}
	for name, row := range map[string]struct {
		text, args string
		code       int
		wanted     string
	}{
		"a line that is cut":   {replaced(2, lines[2][:20]+"\n"), "", 3, file + ":3 cannot be applied again: "},
		"a line is missing":    {replaced(2, ""), "", 3, file + ":4 cannot be applied again: contacts.merge: "}, // the user's; without the lead's the ids follow the second of the clock
		"an unknown operation": {replaced(5, `{"at":"2026-11-20T02:00:00Z","do":"contacts.vanish"}`+"\n"), "", 3, file + `:6 cannot be applied again: no such operation "contacts.vanish"`},
		"another file":         {"my notes", "", 3, file + ":1 cannot be applied again: it is not a state file of an emulated workspace"},
		"another form":         {replaced(0, strings.Replace(lines[0], `"emulator":1`, `"emulator":2`, 1)), "", 3, "its format is 2"},
		"another seed":         {string(text), "--seed 8", 2, "is a workspace of --seed 7, not 8: omit --seed, or give another file"},
		"other contacts":       {string(text), "--contacts 61", 2, "is a workspace of --contacts 60, not 61"},
		"another zone":         {string(text), "--zone UTC", 2, "is a workspace of --zone Asia/Tokyo, not UTC"},
	} {
		if err := os.WriteFile(file, []byte(row.text), 0o600); err != nil {
			t.Fatal(err)
		}
		p := startProcess(t, "aqueduck", nil, append([]string{"emulate", "--port", "0", "--state", file}, strings.Fields(row.args)...)...)
		if code := p.exitCode(); code != row.code || !strings.Contains(p.outputText(), row.wanted) || !strings.Contains(p.outputText(), "next: ") {
			t.Errorf("%s: it ended with %d, want %d and %q:\n%s", name, code, row.code, row.wanted, p.outputText())
		}
		if left, err := os.ReadFile(file); err != nil || string(left) != row.text {
			t.Errorf("%s: the file was changed", name)
		}
	}
}
