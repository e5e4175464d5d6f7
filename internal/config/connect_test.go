package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aqueduck/internal/problem"
)

func connectableConfig(t *testing.T, baseURL, token string) *Config {
	t.Helper()
	c, err := configOf(t, map[string]string{"pipelines.yaml": `
version: 1
workspaces: {main: {base_url: "` + baseURL + `", token: "` + token + `"}}
pipelines: {nightly: {streams: [contacts]}}
`})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestConnectReturnsAddressAndToken(t *testing.T) {
	t.Parallel()
	c := connectableConfig(t, "${U}", "${T}")
	for _, c2 := range []struct{ name, url, wantURL, wantToken string }{
		{"https", "https://api.example.com", "https://api.example.com", "s3cret"},
		{"slash", "https://api.example.com/", "https://api.example.com", "s3cret"},
		{"loopback", "http://127.0.0.1:8080", "http://127.0.0.1:8080", "s3cret"},
		{"loopback 6", "http://[::1]:8080", "http://[::1]:8080", "s3cret"},
		{"the emulator gets no token", "emulator", "emulator", ""},
	} {
		t.Run(c2.name, func(t *testing.T) {
			t.Parallel()
			url, token, err := c.Connect("main", variablesOf("U", c2.url, "T", " s3cret\n"))
			if err != nil || url != c2.wantURL || string(token) != c2.wantToken {
				t.Errorf("got %s, %q, %v", url, string(token), err)
			}
		})
	}
}

// TestTheEmulatorSharesNoWarehouseWithARealWorkspace: the configuration of one warehouse names both, in either order. Two emulated ones have one
// clock, and an address that cannot be told yet is no mistake of the other workspace.
func TestTheEmulatorSharesNoWarehouseWithARealWorkspace(t *testing.T) {
	t.Parallel()
	c, err := configOf(t, map[string]string{"pipelines.yaml": `
version: 1
workspaces:
  main: {base_url: emulator}
  acme: {base_url: "${U}", token: "${T}"}
pipelines: {nightly: {streams: [contacts]}}
`})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, workspace string
		lookup          func(string) (string, bool)
		want            string
	}{
		{"the emulated one", "main", variablesOf("U", "https://api.example.com", "T", "s"), "workspace main is the emulator and acme is real: they cannot share a warehouse"},
		{"the real one", "acme", variablesOf("U", "https://api.example.com", "T", "s"), "workspace main is the emulator and acme is real: they cannot share a warehouse"},
		{"both are emulated", "acme", variablesOf("U", "emulator"), ""},
		{"the other is not set", "main", variablesOf(), ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, _, err := c.Connect(test.workspace, test.lookup)
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

// TestS52ReservedVersionHeaderIsRefused checks that the version's header cannot replace the token's header or one of HTTP itself.
func TestS52ReservedVersionHeaderIsRefused(t *testing.T) {
	t.Parallel()
	for _, header := range []string{"Authorization", "authorization", "Host", "Content-Length", "Cookie", "Accept-Encoding", "Connection", "Transfer-Encoding", "Content-Type", "User-Agent", "Range",
		"Proxy-Authorization", "Sec-Fetch-Site", "X-Forwarded-For"} {
		_, err := configOf(t, map[string]string{"pipelines.yaml": "version: 1\nworkspaces:\n  main: {base_url: emulator, version_header: " + header + "}\npipelines: {nightly: {streams: [contacts]}}\n"})
		if err == nil || !strings.Contains(err.Error(), "pipelines.yaml:3") || !strings.Contains(err.Error(), `"`+header+`" is a header with another meaning`) {
			t.Errorf("%s: %v", header, err)
		}
	}
	for _, header := range []string{"Service-Version", "Api-Version", "X-Version"} {
		if _, err := configOf(t, map[string]string{"pipelines.yaml": "version: 1\nworkspaces:\n  main: {base_url: emulator, version_header: " + header + "}\npipelines: {nightly: {streams: [contacts]}}\n"}); err != nil {
			t.Errorf("%s: %v", header, err)
		}
	}
}

// Holds: S13.
func TestConnectNamesTheMissingValueAndTheNextStep(t *testing.T) {
	t.Parallel()
	c := connectableConfig(t, "${U}", "${T}")
	for _, c2 := range []struct {
		name string
		env  []string
		want string
	}{
		{"no address", []string{"T", "s3cret"}, "workspaces.main.base_url: the variable U is not set"},
		{"empty address", []string{"U", "", "T", "s3cret"}, "workspaces.main.base_url: the variable U is empty"},
		{"no token", []string{"U", "https://api.example.com"}, "workspaces.main.token: the variable T is not set"},
		{"token with a space", []string{"U", "https://api.example.com", "T", "s3 cret"}, "workspaces.main.token: it is empty, or has"},
		{"plain http", []string{"U", "http://api.example.com", "T", "s3cret"}, "would send the token unencrypted"},
		{"with a path", []string{"U", "https://api.example.com/v2", "T", "s3cret"}, "must have only a host"},
		{"with a password", []string{"U", "https://me:s3cret@api.example.com", "T", "s3cret"}, "an address must not contain a user or password"},
		{"token in the wrong place", []string{"U", "s3cret", "T", "https://api.example.com"}, "the value is not a URL"},
		{"other scheme", []string{"U", "file:///etc", "T", "s3cret"}, "is not a URL"},
		{"not quite loopback", []string{"U", "http://127.0.0.1.example.com", "T", "s3cret"}, "would send the token unencrypted"},
	} {
		t.Run(c2.name, func(t *testing.T) {
			t.Parallel()
			_, _, err := c.Connect("main", variablesOf(c2.env...))
			var p *problem.Problem
			if !errors.As(err, &p) || p.Class != "config" || p.Next == "" || !strings.Contains(err.Error(), c2.want) {
				t.Fatalf("got %v, want %q", err, c2.want)
			}
			if strings.Contains(err.Error()+p.Next, "s3cret") || strings.Contains(err.Error()+p.Next, "s3 cret") {
				t.Errorf("a token is shown: %v", err)
			}
		})
	}
}

// Holds: S1.
func TestTokenFileOfOtherUsersIsRefused(t *testing.T) {
	t.Parallel()
	for mode, want := range map[os.FileMode]string{0o600: "", 0o400: "", 0o640: "can be read by others", 0o644: "(mode 0644)"} {
		file := filepath.Join(t.TempDir(), "token")
		if err := os.WriteFile(file, []byte("s3cret\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(file, mode); err != nil {
			t.Fatal(err)
		}
		c := connectableConfig(t, "https://api.example.com", "${file:"+file+"}")
		_, token, err := c.Connect("main", variablesOf())
		if want == "" && (err != nil || string(token) != "s3cret") {
			t.Errorf("%04o: got %q, %v", mode, string(token), err)
		}
		if want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%04o: got %v, want %q", mode, err, want)
		}
	}
}

// Holds: S5.
func TestRotatedTokenFileIsReadAgain(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "token")
	c := connectableConfig(t, "https://api.example.com", "${file:"+file+"}")
	for _, want := range []string{"first", "second"} {
		if err := os.WriteFile(file, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, token, err := c.Connect("main", variablesOf()); err != nil || string(token) != want {
			t.Errorf("got %q, %v", string(token), err)
		}
	}
}

// TestDoubtsOfConnections are what a run would refuse, although the configuration is right.
func TestDoubtsOfConnections(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("s3cret\n"), mode); err != nil {
			t.Fatal(err)
		}
		return "${file:" + path + "}"
	}
	const url = "https://api.example.com"
	for name, c := range map[string]struct{ workspaces, want string }{
		"variables that are not set": {`main: {base_url: "${U}", token: "${T}"}`, ""},
		"a private file":             {`main: {base_url: "` + url + `", token: "` + file("private", 0o600) + `"}`, ""},
		"a missing file": {`main: {base_url: "` + url + `", token: "${file:` + dir + `/none}"}`,
			"workspaces.main.token: the file " + dir + "/none does not exist; next: write the access token into it, with mode 0600, or correct the path"},
		"a file of all": {`main: {base_url: "` + url + `", token: "` + file("public", 0o644) + `"}`,
			"workspaces.main.token: " + dir + "/public can be read by others (mode 0644); next: chmod 600 " + dir + "/public"},
		"an address with a path in a variable": {`main: {base_url: "${PATHED}", token: "${T}"}`,
			`workspaces.main.base_url: "https://api.example.com/v3" must have only a host: paths come from the stream files; next: ` + addressHint("")},
		"the emulator and a real workspace": {`main: {base_url: emulator}, acme: {base_url: "` + url + `", token: "${T}"}`,
			"workspace main is the emulator and acme is real: they cannot share a warehouse, which has one clock; next: write two files, each with a warehouse.dir of its own"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			read, err := configOf(t, map[string]string{"pipelines.yaml": "version: 1\nworkspaces: {" + c.workspaces + "}\npipelines: {nightly: {streams: [contacts]}}\n"})
			if err != nil {
				t.Fatal(err)
			}
			read.Lookup = func(name string) (string, bool) {
				value, ok := map[string]string{"PATHED": url + "/v3"}[name]
				return value, ok
			}
			if got := strings.Join(read.ConnectionDoubts(), "\n"); got != c.want {
				t.Errorf("got %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestDoubtsOfDeletions are workspaces whose contacts are read and not the streams that report deleted ones.
func TestDoubtsOfDeletions(t *testing.T) {
	t.Parallel()
	for pipelines, want := range map[string]string{
		"a: {streams: [tags]}": "",
		"a: {streams: [contacts]}, b: {streams: [deleted_contacts, contact_activities]}": "",
		"a: {streams: [contacts, contact_activities]}": `no pipeline reads deleted_contacts from workspace "main", so deleted contacts may stay in the tables; ` +
			"next: add deleted_contacts to the streams of a pipeline\n" + `no pipeline reads deleted_contacts from workspace "other", so deleted contacts may stay in the tables; ` +
			"next: add deleted_contacts to the streams of a pipeline",
		"a: {streams: [contacts], workspaces: [other]}, b: {streams: [deleted_contacts, contact_activities], workspaces: [main]}": "no pipeline reads deleted_contacts and " +
			`contact_activities from workspace "other", so deleted contacts may stay in the tables; next: add deleted_contacts and contact_activities to the streams of a pipeline`,
	} {
		read, err := configOf(t, map[string]string{"pipelines.yaml": "version: 1\nworkspaces: {main: {base_url: emulator}, other: {base_url: emulator}}\npipelines: {" + pipelines + "}\n"})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(read.DeletionDoubts(), "\n"); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", pipelines, got, want)
		}
	}
}

// TestMeasuresOfOfficeHoursNeedOfficeHours: without them these measures are null, which nothing else says before somebody asks for one.
func TestMeasuresOfOfficeHoursNeedOfficeHours(t *testing.T) {
	t.Parallel()
	for rest, want := range map[string]int{
		"pipelines: {a: {streams: [tags]}}\n": 0, "pipelines: {a: {streams: [tickets]}}\n": 1, "pipelines: {a: {streams: [conversations, deleted_conversations]}}\n": 1,
		"warehouse: {dir: data, office_hours: {monday: \"09:00-17:00\"}}\npipelines: {a: {streams: [tickets]}}\n": 0,
	} {
		read, err := configOf(t, map[string]string{"pipelines.yaml": "version: 1\nworkspaces: {main: {base_url: emulator}}\n" + rest})
		if err != nil {
			t.Fatal(err)
		}
		if got := read.OfficeDoubts(); len(got) != want || want > 0 && !strings.Contains(got[0], "warehouse.office_hours") {
			t.Errorf("%s: %v", rest, got)
		}
	}
}
