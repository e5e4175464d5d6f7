package emulator_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/lane"
)

// A client library of another language reads the emulator as it reads a real workspace, knowing nothing of it. The first is a
// general one, which make test-all installs. Which one belongs to the API is said from outside, as this program names no brand:
//
//	AQUEDUCK_CLIENT=<package of the npm registry> go test ./internal/emulator -run OfficialClient

func TestPythonClientReadsEveryListToItsEnd(t *testing.T) {
	lane.SkipHeavy(t)
	if testing.Short() {
		t.Skip("installs a package: make test-all runs it")
	}
	t.Parallel()
	python := filepath.Join(t.TempDir(), "env", "bin", "python")
	installPackage(t, "python3", "-m", "venv", filepath.Dir(filepath.Dir(python)))
	installPackage(t, python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", "testdata/foreign/requirements.txt")
	readsAll(t, python, "testdata/foreign/walk.py")
}

func TestOfficialClientReadsEveryListToItsEnd(t *testing.T) {
	name := os.Getenv("AQUEDUCK_CLIENT")
	if name == "" {
		t.Skip("AQUEDUCK_CLIENT names no package")
	}
	dir := t.TempDir()
	installPackage(t, "npm", "install", "--silent", "--prefix", dir, name)
	script, err := filepath.Abs("testdata/foreign/walk.mjs")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	readsAll(t, "node", script, name)
}

// unreachable matches the messages of installers without a network or without a way to install.
var unreachable = regexp.MustCompile(`(?i)connection broken|NewConnectionError|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ensurepip is not available`)

// installPackage installs a package. It skips the test where the installer or the network is missing.
func installPackage(t *testing.T, command ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	if out, err := exec.CommandContext(ctx, command[0], command[1:]...).CombinedOutput(); err != nil {
		if errors.Is(err, exec.ErrNotFound) || unreachable.Match(out) {
			t.Skipf("%v: %v: %s", command, err, bytes.TrimSpace(out))
		}
		t.Fatalf("%v: %v: %s", command, err, bytes.TrimSpace(out))
	}
}

// readsAll runs a script that prints the ids of lists, and compares them with the oracle.
func readsAll(t *testing.T, command ...string) {
	t.Helper()
	w := emulator.New(emulator.Config{Contacts: 700, Knobs: emulator.Knobs{NoLag: true}})
	server := httptest.NewServer(w)
	defer server.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	run := exec.CommandContext(ctx, command[0], append(command[1:], server.URL, w.AccessToken())...)
	var problems bytes.Buffer
	run.Stderr = &problems
	out, err := run.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, problems.Bytes())
	}
	var found map[string][]string
	if err := json.Unmarshal(out, &found); err != nil || len(found) < 7 {
		t.Fatalf("%d lists, %v: %.200s", len(found), err, out)
	}
	streams := map[string]string{"contacts by search": "contacts", "conversations by search": "conversations",
		"companies by scroll": "companies", "companies by search": "companies"}
	for list, ids := range found {
		stream := list
		if of, other := streams[list]; other {
			stream = of
		}
		var want []string
		for row := range w.Truth(stream) {
			if list != "companies by search" || row["user_count"] != int64(0) {
				want = append(want, fmt.Sprint(row["id"]))
			}
		}
		slices.Sort(ids)
		slices.Sort(want)
		if len(want) < 50 || !slices.Equal(ids, want) {
			t.Errorf("%s: %d ids read, %d in truth", list, len(ids), len(want))
		}
	}
	for _, r := range w.Requests() {
		if r.Status != 200 {
			t.Errorf("%s %s?%s was answered %d", r.Method, r.Path, r.Query, r.Status)
		}
	}
}
