package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
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
				if _, _, err := CheckConfig(file, variablesOf()); err == nil || strings.Contains(err.Error(), canary) {
					t.Errorf("as %s: %v", key, err)
				}
			}
			if strings.HasPrefix(tt.name, "elsewhere") {
				return // named directly, the file is in the configuration's own directory
			}
			if _, _, err := CheckConfig(secret, variablesOf()); err == nil || strings.Contains(err.Error(), canary) {
				t.Errorf("as the configuration: %v", err)
			}
		})
	}
}
