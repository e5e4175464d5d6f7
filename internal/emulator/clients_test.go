package emulator_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"aqueduck/internal/emulator/api"
	"aqueduck/internal/emulator/control"
)

// The API's own typed clients work on the emulator: make clients. testdata/clients pins them, and has a script for each language. A script
// makes every call that its client has and the emulator answers, compares the answers with the oracle, and says where an answer is not of
// the client's type.

// clientKnobs give the answers that the clients know where sources differ. Their examples send times as text.
const clientKnobs = `{"NoLag": true, "TextTimes": true, "TicketStateText": "never", "Forms": [
	{"Of": "contacts.companies", "Path": "$.data", "To": "$.companies"},
	{"Of": "conversations", "Path": "teammates.teammates", "To": "teammates.admins"}]}`

// knownUnlike are the places where answers are not of a client's type on purpose, each with the source that decides.
var knownUnlike = []struct{ place, why string }{
	{`^(Article|InternalArticle|articles|internalArticles)\S* (\S+\.)?id$`, "2.5: the id of an article is an integer"},
	{`(admin|team)_assignee_id$`, "2.10: assignees are integers"},
	{`^(Call|ListCalls|calls)\S* (\S+\.)?admin_id$`, "api-notes: an id is a text or a number"},
	{`download_expires_at$`, "4.11: a timestamp"},
	{`: has_hard_bounced, marked_email_as_spam$`, "2.1: contacts do not have them, search does"},
	{`pages\.(next|type)$`, "2.8: an object of type pages"},
	{`metadata\.(after|before)$`, "2.7: an object describes what was modified; recordings have texts in it"},
	{`custom_attributes(\.\{\})?$`, "recordings have booleans, and null for quality assurance"},
	{`content_sources\[\]\.content_type$`, "2.10: also internal_article and other words"},
	{`(source|author)\.type$`, "words are open"},
	{`(person_type|\.model)$`, "words are open: segments and attributes are also of companies and conversations"},
	{`updated_attribute_data\.value(\.id|\.label)?$`, "2.10 has the field without its parts; a removed value is null"},
	{`^Company\S* data\[\]\.name$`, "some companies have no name"},
}

// notOfTheDocument are requests that both have, but that the document shows without a path.
var notOfTheDocument = []string{"GET /away_status_reasons"}

func TestTypedClientsMakeEveryCallThatTheyHave(t *testing.T) {
	binary := os.Getenv("AQUEDUCK_CLIENTS")
	if binary == "" {
		t.Skip("installs clients from two registries: make clients")
	}
	pinned, err := filepath.Abs("testdata/clients")
	if err != nil {
		t.Fatal(err)
	}
	var node struct{ Dependencies map[string]string }
	text, err := os.ReadFile(filepath.Join(pinned, "package.json"))
	if err == nil {
		err = json.Unmarshal(text, &node)
	}
	if err != nil {
		t.Fatal(err)
	}
	text, err = os.ReadFile(filepath.Join(pinned, "requirements.txt"))
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(text), "\n")
	python, pythonVersion, _ := strings.Cut(first, "==")
	module := strings.TrimPrefix(python, "python-")
	typed := module + "-client"
	header := strings.ToUpper(module[:1]) + module[1:] + "-Version" // the client of Node.js sends it, that of Python does not

	seen := map[string]bool{}
	t.Run("node", func(t *testing.T) {
		dir := t.TempDir()
		for _, name := range []string{"package.json", "package-lock.json", "calls.mjs"} {
			text, err := os.ReadFile(filepath.Join(pinned, name))
			if err == nil {
				err = os.WriteFile(filepath.Join(dir, name), text, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		installPackage(t, "npm", "ci", "--silent", "--prefix", dir)
		runTypedClient(t, binary, header, dir, typed+" "+node.Dependencies[typed], seen, "node", "calls.mjs", typed)
	})
	t.Run("python", func(t *testing.T) {
		dir := t.TempDir()
		interpreter := filepath.Join(dir, "env", "bin", "python")
		installPackage(t, "python3", "-m", "venv", filepath.Join(dir, "env"))
		installPackage(t, interpreter, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", filepath.Join(pinned, "requirements.txt"))
		runTypedClient(t, binary, header, dir, python+" "+pythonVersion, seen, interpreter, filepath.Join(pinned, "calls.py"), module)
	})
	for _, known := range knownUnlike {
		if !t.Failed() && len(seen) > 0 && !seen[known.place] {
			t.Errorf("no answer is unlike a client's type at %s any more", known.place)
		}
	}
}

// runTypedClient serves a workspace of version 2.14, for which the clients are, with the ids that the scripts name. It runs the script of a client, and checks what it says.
func runTypedClient(t *testing.T, binary, header, dir, client string, seen map[string]bool, command ...string) {
	t.Helper()
	const token = "typed-client"
	base := serveForClient(t, binary, dir, "--api-version", "2.14", "--version-header", header, "--token", token, "--knobs", clientKnobs,
		"--population", "odd", "--contacts", "300", "--conversations", "60", "--rate", "0")
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	run := exec.CommandContext(ctx, command[0], append(command[1:], base, token)...)
	run.Dir = dir
	var problems bytes.Buffer
	run.Stderr = &problems
	out, err := run.Output()
	if err != nil {
		t.Fatalf("%s: %v: %s", client, err, problems.Bytes())
	}
	var said struct {
		Has    [][2]string
		Values int
		Unlike map[string]string
	}
	if err := json.Unmarshal(out, &said); err != nil || len(said.Has) < 100 || said.Values < 10_000 {
		t.Fatalf("%s: %d requests, %d values, %v: %.300s", client, len(said.Has), said.Values, err, out)
	}
	for place, words := range said.Unlike {
		known := false
		for _, k := range knownUnlike {
			if regexp.MustCompile(k.place).MatchString(place) {
				known, seen[k.place] = true, true
			}
		}
		if !known {
			t.Errorf("%s: %s: %s", client, place, words)
		}
	}
	asked := requestsServed(t, base)
	calls, ofDocument := 0, 0
	for _, endpoint := range api.Endpoints() {
		plain := braces.ReplaceAllString(endpoint, "{}")
		method, path, _ := strings.Cut(plain, " ")
		if !slices.Contains(said.Has, [2]string{method, path}) || slices.Contains(notOfTheDocument, plain) {
			continue
		}
		calls++
		if regexp.MustCompile(`\t` + regexp.QuoteMeta(path) + ` (\w+ )*` + method + `\b`).MatchString(documentedEndpoints) {
			ofDocument++
		}
		if !asked[endpoint] {
			t.Errorf("%s: %s was not answered well", client, endpoint)
		}
	}
	t.Logf("%s: all %d calls pass, %d of them of the document; %d values are the oracle's, %d places are not of the client's types, all known", client, calls, ofDocument, said.Values, len(said.Unlike))
}

// serveForClient starts the program's emulator on a free port and returns its address.
func serveForClient(t *testing.T, binary, dir string, flags ...string) string {
	t.Helper()
	serve := exec.Command(binary, append([]string{"emulate", "--port", "0"}, flags...)...)
	serve.Dir = dir
	var problems bytes.Buffer
	serve.Stderr = &problems
	out, err := serve.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = serve.Process.Signal(syscall.SIGTERM)
		_ = serve.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	found := regexp.MustCompile(`http://127\.0\.0\.1:\d+`).FindString(line)
	if err != nil || found == "" {
		t.Fatalf("emulate: %v: %s%s", err, line, problems.Bytes())
	}
	go func() { _, _ = io.Copy(io.Discard, out) }() // ends with the process
	return found
}

// requestsServed returns the endpoints that answered a request with success.
func requestsServed(t *testing.T, base string) map[string]bool {
	t.Helper()
	res, err := http.Get(base + "/_emulator/requests")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var log []control.Request
	if err := json.NewDecoder(res.Body).Decode(&log); err != nil {
		t.Fatal(err)
	}
	good := map[string]bool{}
	for _, r := range log {
		if r.Status < http.StatusBadRequest {
			good[api.EndpointOf(r)] = true
		}
	}
	return good
}
