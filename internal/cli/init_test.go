package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aqueduck/internal/config"
)

// Holds: S1.
func TestVariablesOfAFile(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"A=1":                     "1",
		"export A = 1 # one":      "1",
		"\ufeffA=1\r\n":           "1",
		"# B=2\n\n  A='1 # 2'  ":  "1 # 2",
		`A="x=y" # two`:           "x=y",
		"A=a#b":                   "a#b",
		"A=":                      "",
		"A=\"\"":                  "",
		"A":                       "error: expected NAME=value",
		"1A=SECRET":               "error: expected NAME=value",
		"A B=SECRET":              "error: expected NAME=value",
		`A="SECRET`:               "error: the quotes of A do not enclose the whole value",
		`A='SECRET'x`:             "error: the quotes of A do not enclose the whole value",
		"A=1\nA=SECRET":           "error: A is given twice",
		strings.Repeat("#", 1e5):  "error: is not a file of at most 64 KiB",
		"A=1\n" + "SECRET SECRET": "error: expected NAME=value",
	} {
		file := filepath.Join(t.TempDir(), ".env")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		kept, err := config.ReadDotenv(file)
		wrong, refused := strings.CutPrefix(want, "error: ")
		switch {
		case refused && (err == nil || !strings.Contains(err.Error(), wrong) || strings.Contains(err.Error(), "SECRET")):
			t.Errorf("%q: %v, want %s", text, err, wrong)
		case !refused && (err != nil || kept["A"] != want):
			t.Errorf("%q: %q, %v, want %q", text, kept["A"], err, want)
		}
	}
}

// TestRotatedTokenIsLookedUpAgain in its file and in .env, when the API refuses the present one.
// Holds: S5.
func TestRotatedTokenIsLookedUpAgain(t *testing.T) {
	t.Parallel()
	home := inDirectory(t, `version: 1
workspaces:
  main: {base_url: "http://127.0.0.1:9", token: "${file:token}"}
  acme: {base_url: "http://127.0.0.1:9", token: "${TOKEN}"}
pipelines: {nightly: {streams: [contacts]}}
`)
	keep := func(token string) {
		for name, text := range map[string]string{"token": token, ".env": "TOKEN=" + token} {
			if err := os.WriteFile(filepath.Join(home, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	keep("first")
	a, _, _ := inProcess()
	a.file = []string{filepath.Join(home, "pipelines.yaml")}
	runner, err := newRunner(a)
	if err != nil {
		t.Fatal(err)
	}
	for _, workspace := range []string{"main", "acme"} {
		keep("first")
		source, err := runner.Connect(t.Context(), workspace)
		if err != nil || string(source.Token) != "first" {
			t.Fatalf("%s: %q, %v", workspace, string(source.Token), err)
		}
		keep("second")
		if token, err := source.Refresh(); err != nil || string(token) != "second" {
			t.Errorf("%s: %q, %v", workspace, string(token), err)
		}
	}
	// A .env that others can read is refused at a reload, and serve continues with the previous configuration.
	if err := os.Chmod(filepath.Join(home, ".env"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := newRunner(a); err == nil {
		t.Error("a .env that others can read was read")
	}
	if source, err := runner.Connect(t.Context(), "acme"); err != nil || string(source.Token) != "first" {
		t.Errorf("%q, %v", string(source.Token), err)
	}
}
