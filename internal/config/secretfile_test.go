package config

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"aqueduck/internal/grammar"
	"aqueduck/internal/lane"
	"aqueduck/schemas"
)

// TestS56ErrorsQuoteNoLineOfASecretFile names files with secrets as a configuration, as models and as a stream file: a key, a file of variables, YAML
// of another program, a file that only its owner may read, and one outside of the configuration's directory. No error may quote a line of them.
func TestS56ErrorsQuoteNoLineOfASecretFile(t *testing.T) {
	t.Parallel()
	const canary = "hunter2xyzzy"
	tests := []struct {
		name, file, text string
		mode             os.FileMode
	}{
		{"a key", "id_rsa", "-----BEGIN KEY-----\n" + canary + "\n", 0o644},
		{"a word", "secret.txt", canary + "\n", 0o644},
		{"a file of variables", ".env.local", "version: 1\nmodels: [" + canary + "\n", 0o644},
		{"YAML of another program", "values.yaml", "database:\n  password: {" + canary + "\n", 0o644},
		{"keys of another program", "shadow", "root:*:" + canary + ":\n" + canary + ": &x 1\n", 0o644},
		{"words of another program", "words", "a: *" + canary + "\n", 0o644},
		{"SQL of another program", "users.sql", "INSERT INTO users VALUES ('" + canary + "');\n", 0o644},
		{"its owner's alone", "own.yaml", "version: 1\nstream: {name: " + canary + "\nmodels: [" + canary + "\n-- relation: " + canary + "\n", 0o600},
		{"its owner's alone, a value", "value.yaml", "version: " + canary + "\nstream: " + canary + "\nread: {since: {by: " + canary + "}}\n", 0o600},
		{"its owner's alone, a key", "key.yaml", "version: 1\n" + canary + ": 1\nstream: a\nworkspaces: {main: {" + canary + ": 1}}\n", 0o600},
		{"its owner's alone, a name", "name.yaml", "version: 1\nworkspaces: {main: {base_url: emulator, token: x}}\nstreams: {" + canary + ": [1]}\n" +
			"pipelines: {" + canary + ": {streams: [" + canary + "], retries: " + canary + "}}\n", 0o600},
		{"its owner's alone, a variable", "variable.yaml", "version: 1\nwarehouse: {dir: \"${" + canary + "}\"}\n", 0o600},
		{"its owner's alone, SQL", "own.sql", "-- relation: " + canary + " (view)\n-- doc: A.\n-- relation: " + canary + " (view)\nSELECT 1\n", 0o600},
		{"variables with names", ".env.yaml", "version: 1\nstreams: {" + canary + ": [1]}\npipelines: {" + canary + ": 1}\n", 0o644},
		{"elsewhere, names", "../names.yaml", "stream: a\ncolumns: {" + canary + ": 1}\nlike: " + canary + "\nmark: {" + canary + ": [1]}\n", 0o644},
		{"elsewhere, whole", "../whole.yaml", "version: " + canary + "\nstream: " + canary + "\n" + canary + ": 1\n", 0o644},
		{"elsewhere", "../elsewhere.yaml", "stream: {name: [" + canary + "\n-- relation: " + canary + "\n", 0o644},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "etc")
			secret := filepath.Join(dir, tt.file)
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(secret, []byte(tt.text), tt.mode); err != nil {
				t.Fatal(err)
			}
			const config = "version: 1\nwarehouse: {dir: data}\nworkspaces: {main: {base_url: emulator, token: x}}\npipelines: {nightly: {streams: [contacts]}}\n%s: [%q]\n"
			for _, key := range []string{"models", "stream_files"} {
				file := filepath.Join(dir, "pipelines-"+key+".yaml")
				if err := os.WriteFile(file, fmt.Appendf(nil, config, key, tt.file), 0o644); err != nil {
					t.Fatal(err)
				}
				_, _, err := LoadConfig(file, variablesOf())
				if err == nil || strings.Contains(err.Error(), canary) {
					t.Errorf("as %s: %v", key, err)
				}
			}
			if strings.HasPrefix(tt.name, "elsewhere") {
				return // named directly, the file is in the configuration's own directory
			}
			_, _, err := LoadConfig(secret, variablesOf())
			if err == nil || strings.Contains(err.Error(), canary) {
				t.Errorf("as the configuration: %v", err)
			}
		})
	}
}

// TestS56ErrorsAboutAPrivateFileDoNotDependOnItsWords reads each bad configuration and each bad stream file as a file that only its owner may read.
// A word of the file, but of the form, that its message has is there by chance: changed in two ways, both give the same message. Words that are nearly
// keys may be quoted. File and line are in each message.
func TestS56ErrorsAboutAPrivateFileDoNotDependOnItsWords(t *testing.T) {
	t.Parallel()
	catalogue, err := schemas.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, name := range catalogue.Names() {
		known[name] = true
	}
	addWords(known, ConfigSpec())
	addWords(known, schemas.Spec())
	keys := slices.Collect(maps.Keys(known))
	for _, kind := range []string{"configuration", "stream file"} {
		pattern := map[string]string{"configuration": "testdata/bad/*.yaml", "stream file": "../../schemas/testdata/bad/*.yaml"}[kind]
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) < 35 {
			t.Fatalf("%d files, %v", len(files), err)
		}
		for i, file := range files {
			if i%3 > 0 && !lane.Heavy() {
				continue // a check of each word of a file takes some 20 ms
			}
			t.Run(kind+"/"+strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
				t.Parallel()
				text, err := os.ReadFile(file)
				if err != nil || len(text) > 5_000 {
					return // one of the bombs, which have no words
				}
				check := privateFileChecker(t, kind)
				message := check(text)
				tried := map[string]bool{}
				for _, w := range wordOf.FindAllString(string(text), -1) {
					if known[w] || tried[w] || !strings.Contains(message, w) || grammar.Nearest(w+"7", keys) != "" {
						continue
					}
					tried[w] = true
					whole := regexp.MustCompile(`\b` + w + `\b`)
					if a, b := check(whole.ReplaceAll(text, []byte(w+"7"))), check(whole.ReplaceAll(text, []byte(w+"8"))); a != b {
						t.Errorf("%s: the message depends on the word:\n%s\n%s", w, a, b)
					}
				}
				if !regexp.MustCompile(`own\.yaml:\d+:\d+: |: the file (is empty|has \d+ bytes)|not YAML|is not a`).MatchString(message) {
					t.Errorf("no position: %s", message)
				}
			})
		}
	}
}

var wordOf = regexp.MustCompile(`[A-Za-z0-9_]+`)

// privateFileChecker returns a function that checks a text, in a file that only its owner may read, as a configuration or as a stream file of one.
func privateFileChecker(t *testing.T, kind string) func(text []byte) string {
	own := filepath.Join(t.TempDir(), "own.yaml")
	config := own
	if kind == "stream file" {
		config = filepath.Join(filepath.Dir(own), "pipelines.yaml")
		const text = "version: 1\nworkspaces: {main: {base_url: emulator}}\npipelines: {nightly: {streams: [contacts]}}\nstream_files: own.yaml\n"
		if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return func(text []byte) string {
		if err := os.WriteFile(own, text, 0o600); err != nil {
			t.Fatal(err)
		}
		_, _, err := LoadConfig(config, variablesOf())
		return fmt.Sprint(err)
	}
}

// addWords adds the keys of a form and the words that its values may have.
func addWords(known map[string]bool, spec *grammar.Spec) {
	known[spec.Name] = true
	for _, choice := range spec.Values {
		known[choice.Name] = true
	}
	for i := range spec.Keys {
		addWords(known, &spec.Keys[i])
	}
	if spec.Item != nil {
		addWords(known, spec.Item)
	}
}
