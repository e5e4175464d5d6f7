package cli

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// mutatedConfigs returns variants of a file with every key: with another value or without a line, drawn from a seed. Some are valid.
func mutatedConfigs(t *testing.T, n int) (texts []string) {
	t.Helper()
	text, err := os.ReadFile("../../internal/config/testdata/complete/pipelines.yaml")
	if err != nil {
		t.Fatal(err)
	}
	values := regexp.MustCompile(`[:,\[] (\$\{[A-Z_]+\}|"[^"]*"|[A-Za-z0-9_/.-]+)|\[([a-z0-9_]+)`).FindAllSubmatchIndex(text, -1)
	others := []string{`"${SET}"`, `"${NOWHERE:-5}"`, `"${SET"`, `"${file:token}"`, `"$$"`, "7", "60m", "1h30m", "2026-02-28", "true", "contacts", `"*"`, "acme",
		"UTC", "[]", "~", `""`, "emulator", "https://api.example.com", "data/deep/er", `"a\0b"`, "/dev/null"}
	draw := rand.New(rand.NewPCG(8, uint64(n)))
	lines := strings.SplitAfter(string(text), "\n")
	for i := range n {
		if i%2 == 0 {
			out := draw.IntN(len(lines))
			texts = append(texts, strings.Join(lines[:out], "")+strings.Join(lines[out+1:], ""))
			continue
		}
		place := values[draw.IntN(len(values))]
		from, to := place[2], place[3]
		if from < 0 {
			from, to = place[4], place[5]
		}
		texts = append(texts, string(text[:from])+others[draw.IntN(len(others))]+string(text[to:]))
	}
	return texts
}

// configsWithAddress returns files with addresses that only a run looks up, and files without one.
func configsWithAddress(t *testing.T) (texts []string) {
	t.Helper()
	text, err := os.ReadFile("../../internal/config/testdata/complete/pipelines.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, address := range []string{`"${SET"`, `"${1}"`, `"$SET"`, `"https://${2:-eu}.example.com"`} {
		texts = append(texts, strings.Replace(string(text), "${WORKSPACE_URL}", address, 1))
	}
	return texts
}

var mirrorLine = regexp.MustCompile(`(?m)^ *mirror:.*\n`)

// TestSyncReadsEveryConfigurationThatCheckAccepts tests the promise of `check`: no mistake in the files stops a run unless `check`
// reports it. Variables and files with tokens exist here.
func TestSyncReadsEveryConfigurationThatCheckAccepts(t *testing.T) {
	t.Parallel()
	home := warehouseRoom(t)
	if err := os.CopyFS(home, os.DirFS("../../internal/config/testdata/complete")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, "token"), []byte("5"), 0o600); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(home, "pipelines.yaml")
	env := lookupIn([]string{"WORKSPACE_URL=http://127.0.0.1:9", "WORKSPACE_TOKEN=x", "ACME_URL=http://127.0.0.1:9", "SET=http://127.0.0.1:9"})
	over, cancel := context.WithCancel(t.Context())
	cancel()
	right := 0
	for _, text := range append(mutatedConfigs(t, 24), configsWithAddress(t)...) {
		text = strings.Replace(text, "group: analysts", fmt.Sprintf("group: %q", strconv.Itoa(os.Getgid())), 1) // one that this machine has
		text = mirrorLine.ReplaceAllString(text, "")                                                            // which only a program of make build-mirror has
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		said := map[string]string{}
		ended := func(ctx context.Context, command string) int {
			a, _, stderr := inProcess(command, "-f", file)
			a.Lookup, a.Now, a.Wait = env, time.Now, Wait
			code := runCommand(ctx, a)
			said[command] = stderr.String()
			return code
		}
		check := ended(t.Context(), "check")
		if check != 0 && check != 3 {
			t.Fatalf("check ended with %d: %s\n%s", check, said["check"], text)
		}
		if check != 0 {
			continue
		}
		right++
		if sync := ended(over, "sync"); sync == 3 {
			t.Errorf("check finds right what sync refuses: %s\n%s", said["sync"], text)
		}
	}
	if right < 5 || right > 20 {
		t.Errorf("%d of the files are right", right)
	}
}

func TestEveryMistakeEndsWithThree(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"unknown-key", "not-yaml", "many-mistakes", "literal-token", "empty", "models", "not-utf8"} {
		file := "../../internal/config/testdata/bad/" + name
		want, err := os.ReadFile(file + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		a, stdout, stderr := inProcess("check", "-f", file+".yaml")
		code := runCommand(t.Context(), a)
		got := strings.ReplaceAll(stderr.String(), "../../internal/config/testdata/bad/", "")
		if code != 3 || stdout.Len() > 0 || got != string(want) {
			t.Errorf("%s ended with %d:\n%s%s", name, code, stdout, got)
		}
	}
}
