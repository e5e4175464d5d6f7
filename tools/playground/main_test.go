package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/cli"
	"aqueduck/internal/sandbox"
)

// TestMain makes the test binary the program too, which a playground starts.
func TestMain(m *testing.M) {
	env := &cli.Env{Name: os.Args[0], Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Lookup: os.LookupEnv, Now: time.Now, Wait: cli.Wait}
	switch {
	case sandbox.IsTaskProcess():
		os.Exit(sandbox.Serve(cli.Tasks(env)))
	case len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-"):
		os.Exit(cli.Run(env))
	}
	os.Exit(m.Run())
}

// announced passes on what a playground prints.
type announced chan string

func (a announced) Write(text []byte) (int, error) {
	a <- string(text)
	return len(text), nil
}

func newPlayground(t *testing.T, stdout io.Writer) *playground {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return &playground{program: program, dir: t.TempDir(), console: "127.0.0.1:0", emulate: []string{"--port", "0", "--contacts", "60"}, stdout: stdout}
}

// TestThePlaygroundServesAConsoleUntilItIsInterrupted, with the token that it prints.
func TestThePlaygroundServesAConsoleUntilItIsInterrupted(t *testing.T) {
	t.Parallel()
	said := make(announced, 10)
	p := newPlayground(t, said)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- p.run(ctx) }()
	var text string
	select {
	case text = <-said:
	case err := <-ended:
		t.Fatal(err)
	}
	found := regexp.MustCompile(`open  (http://\S+)\ntoken (\S+)\n[^$]*behind it, (http://[^,]+),`).FindStringSubmatch(text)
	if found == nil {
		t.Fatalf("it prints %s", text)
	}
	get := func(url, bearer string) (status int) {
		t.Helper()
		req, err := http.NewRequest("GET", url, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+bearer)
		resp, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			return 0
		}
		_ = resp.Body.Close()
		return resp.StatusCode
	}
	if console, space := get(found[1]+"/", found[2]), get(found[3]+"/contacts", token); console != 200 || space != 200 {
		t.Errorf("the console answers %d, the workspace %d", console, space)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if console, space := get(found[1]+"/", found[2]), get(found[3]+"/contacts", token); console != 0 || space != 0 {
		t.Errorf("at the end the console answers %d, the workspace %d", console, space)
	}
}

// TestThePlaygroundSaysWhyItEnds: a port that is taken, a wrong flag, a program that is missing.
func TestThePlaygroundSaysWhyItEnds(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		change func(p *playground)
		wanted string
	}{
		"no speed":     {func(p *playground) { p.emulate = append(p.emulate, "--speed", "0") }, "emulate ended before it was ready: error["},
		"no console":   {func(p *playground) { p.console = "nowhere" }, "serve ended before it was ready: error["},
		"no program":   {func(p *playground) { p.program = filepath.Join(p.dir, "missing") }, "no such file or directory"},
		"no directory": {func(p *playground) { p.dir = filepath.Join(p.program, "below") }, "make the directory of the playground: "},
	} {
		var out bytes.Buffer
		p := newPlayground(t, &out)
		row.change(p)
		if err := p.run(t.Context()); err == nil || !strings.Contains(err.Error(), row.wanted) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
