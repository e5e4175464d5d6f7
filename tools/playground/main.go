// Command playground starts a workspace that lives, a service that reads it each minute, and its console. It prints the console's address.
// Ctrl-C ends all of it.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// pipelines is the configuration of a playground: one pipeline each minute, and small lists each ten minutes.
const pipelines = `# The playground reads a workspace that lives: make playground
version: 1
warehouse: {dir: data, publish: {every: 60m, keep: 2}}
workspaces:
  main: {base_url: "${WORKSPACE_URL}", token: "${WORKSPACE_TOKEN}", api_version: "2.17"}
pipelines:
  support:
    schedule: "* * * * *"
    freshness: {warn_after: 1h, error_after: 2h} # its clock runs ahead of this machine's, so a watermark may wait for the machine's
    streams: [contacts, deleted_contacts, contact_activities, companies, conversations, deleted_conversations, tickets, calls, call_transcripts,
              admin_activity_logs, admins, teams, tags, segments, ticket_types, ticket_states, data_attributes]
  content:
    schedule: "*/10 * * * *"
    streams: [articles, internal_articles, collections, folders, newsfeeds, news_items, macros, help_centers, brands]
`

// token is the one that the workspace accepts. It is of this machine only.
const token = "playground-token"

// playground is what one command starts.
type playground struct {
	program string   // aqueduck
	dir     string   // of the workspace's file, the warehouse and the logs
	console string   // address
	emulate []string // flags of the workspace
	stdout  io.Writer
}

func main() {
	p := playground{stdout: os.Stdout}
	flag.StringVar(&p.program, "program", "bin/aqueduck", "the program")
	flag.StringVar(&p.dir, "dir", "playground", "directory for the workspace, the warehouse and the logs")
	flag.StringVar(&p.console, "console", "127.0.0.1:8321", "address of the console")
	speed := flag.String("speed", "60", "how much faster than this machine's clock the workspace lives")
	port := flag.String("port", "8322", "port of the workspace on 127.0.0.1")
	flag.Parse()
	p.emulate = []string{"--port", *port, "--speed", *speed}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := p.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "playground:", err)
		os.Exit(1)
	}
}

// run starts everything, prints the address, and waits until the context ends. Then all that it started has ended too.
func (p *playground) run(ctx context.Context) error {
	if err := os.MkdirAll(p.dir, 0o755); err != nil {
		return fmt.Errorf("make the directory of the playground: %w", err)
	}
	file := filepath.Join(p.dir, "pipelines.yaml")
	if err := os.WriteFile(file, []byte(pipelines), 0o644); err != nil {
		return fmt.Errorf("write the configuration: %w", err)
	}
	ctx, end := context.WithCancel(ctx)
	defer end()
	space := p.start(ctx, nil, "serving an emulated workspace on ", append([]string{"emulate", "--live", "--token", token,
		"--state", filepath.Join(p.dir, "workspace.ndjson")}, p.emulate...)...)
	url, err := space.waitReady()
	if err != nil {
		end()
		<-space.ended
		return err
	}
	serve := p.start(ctx, []string{"WORKSPACE_URL=" + url, "WORKSPACE_TOKEN=" + token}, "console   ", "serve", "-f", file, "--console", p.console)
	address, err := serve.waitReady()
	if err == nil {
		if err = p.printAddress(address, url); err == nil {
			select {
			case <-ctx.Done():
			case <-space.ended:
			case <-serve.ended:
			}
		}
		err = errors.Join(err, serve.failure(ctx))
	}
	err = errors.Join(err, space.failure(ctx))
	end()
	<-serve.ended
	<-space.ended
	fmt.Fprintln(p.stdout, "all of it has ended")
	return err
}

func (p *playground) printAddress(address, url string) error {
	secret, err := os.ReadFile(filepath.Join(p.dir, "data", ".aqueduck", "console.token"))
	if err != nil {
		return fmt.Errorf("read the token of the console: %w", err)
	}
	_, err = fmt.Fprintf(p.stdout, `
open  %s
token %s

It shows a run each minute; in the workspace behind it, %s, time passes faster. Ctrl-C ends all of it;
the next start goes on. Logs: %s/*.log
`, address, strings.TrimSpace(string(secret)), url, p.dir)
	return err
}

// part is a process of the playground.
type part struct {
	name  string
	log   string        // file with what it says
	ready chan string   // what follows the word that it says when it is ready
	ended chan struct{} // closed when it has ended
	fault string        // the last error that it has told
	how   error         // how its process ended
}

// start starts the program, which is ready when it says a word.
func (p *playground) start(ctx context.Context, env []string, word string, args ...string) *part {
	one := &part{name: args[0], log: filepath.Join(p.dir, args[0]+".log"), ready: make(chan string, 1), ended: make(chan struct{})}
	go func() {
		defer close(one.ended)
		one.how = one.follow(ctx, exec.CommandContext(ctx, p.program, args...), env, word)
	}()
	return one
}

// follow runs a command until it ends, and keeps what it says in a file. Ctrl-C reaches it from here alone: a second one would end it at once.
func (o *part) follow(ctx context.Context, c *exec.Cmd, env []string, word string) error {
	log, err := os.Create(o.log)
	if err != nil {
		return err
	}
	defer log.Close()
	out, in, err := os.Pipe()
	if err != nil {
		return err
	}
	defer out.Close()
	c.Env, c.Stdout, c.Stderr = append(c.Environ(), env...), in, in
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel, c.WaitDelay = func() error { return c.Process.Signal(os.Interrupt) }, time.Minute
	err = c.Start()
	_ = in.Close() // the process has its own end
	if err != nil {
		return err
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		line := lines.Text()
		if strings.HasPrefix(line, "error[") {
			o.fault = line
		}
		if _, err := fmt.Fprintln(log, line); err != nil {
			return errors.Join(err, c.Cancel(), c.Wait())
		}
		if _, rest, ok := strings.Cut(line, word); ok && len(o.ready) == 0 {
			o.ready <- rest
		}
	}
	return c.Wait()
}

// waitReady waits until the process is ready.
func (o *part) waitReady() (rest string, err error) {
	select {
	case rest = <-o.ready:
		return rest, nil
	case <-o.ended:
		return "", fmt.Errorf("%s ended before it was ready: %s\n  its log is %s\n  next: if something else listens there, choose other addresses: make playground CONSOLE=127.0.0.1:8331 PORT=8332", o.name, o.reason(), o.log)
	}
}

// reason is why a process has ended: the error that it told, or else how it ended.
func (o *part) reason() string {
	switch {
	case o.fault != "":
		return o.fault
	case o.how != nil:
		return o.how.Error()
	}
	return "it told no error"
}

// failure is the error of a process that has ended by itself.
func (o *part) failure(ctx context.Context) error {
	select {
	case <-o.ended:
		if ctx.Err() == nil {
			return fmt.Errorf("%s has ended by itself: %s\n  its log is %s\n  next: make playground goes on where this one was", o.name, o.reason(), o.log)
		}
	default:
	}
	return nil
}
