package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/emulator/state/conversations"
)

// hourZero is hour 0 of the emulated workspace; its clock then follows the machine's.
var hourZero = time.Date(2026, 11, 20, 2, 0, 0, 0, time.UTC)

const spaceToken = "emulated-workspace-token"

// serveSpace is the process of the emulated workspace. It prints its address, serves until its standard input ends, and changes contacts on
// demand. Its cost is not part of the sync's.
func serveSpace(args []string) error {
	contacts, err := strconv.Atoi(args[0])
	conversations, err2 := strconv.Atoi(args[1])
	latency, err3 := time.ParseDuration(args[2])
	if err := errors.Join(err, err2, err3); err != nil {
		return err
	}
	began := time.Now()
	w := emulator.New(emulator.Config{
		Seed: 1, Contacts: contacts, Conversations: conversations, Inactive: contacts / 100, Activities: contacts / 10, Start: hourZero, Token: spaceToken, NoLog: true,
		Now: func() time.Time { return hourZero.Add(time.Since(began)) },
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	var requests, nights atomic.Int64
	mux.HandleFunc("/", func(rw http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		time.Sleep(latency)
		w.ServeHTTP(rw, r)
	})
	mux.HandleFunc("GET /_bench/requests", func(rw http.ResponseWriter, _ *http.Request) { fmt.Fprint(rw, requests.Load()) })
	mux.HandleFunc("GET /_bench/truth", func(rw http.ResponseWriter, _ *http.Request) {
		contacts, tags := countTruth(w.Oracle)
		fmt.Fprintf(rw, `{"contacts": %d, "tags": %d}`, contacts, tags)
	})
	mux.HandleFunc("POST /_bench/reply", func(rw http.ResponseWriter, r *http.Request) {
		n, err := strconv.Atoi(r.FormValue("conversations"))
		if err == nil {
			err = replyConversations(w, n)
		}
		if err != nil {
			http.Error(rw, err.Error(), http.StatusBadRequest)
		}
	})
	mux.HandleFunc("POST /_bench/change", func(rw http.ResponseWriter, r *http.Request) {
		n, err := strconv.Atoi(r.FormValue("contacts"))
		if err == nil {
			err = changeContacts(w, n, int(nights.Add(1)), r.FormValue("active") != "")
		}
		if err != nil {
			http.Error(rw, err.Error(), http.StatusBadRequest)
		}
	})
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	fmt.Printf("http://%s\n", listener.Addr())
	_, err = io.Copy(io.Discard, os.Stdin)
	err = errors.Join(err, server.Close())
	if end := <-served; !errors.Is(end, http.ErrServerClosed) {
		err = errors.Join(err, end)
	}
	return err
}

// changeContacts updates n contacts and makes the changes searchable. They are spread over all, each night over others; or nine in ten of them are
// of the active tenth.
func changeContacts(w *emulator.Workspace, n, night int, active bool) error {
	ids := w.ContactIDs("active")
	tenth := len(ids) / 10
	if n <= 0 || n > tenth {
		return fmt.Errorf("%d of %d contacts cannot change: at most a tenth changes", n, len(ids))
	}
	step := len(ids) / n
	// Beyond the lookback window, so that the next run re-reads this night and not the last hours of the population too.
	w.Advance(72 * time.Hour)
	for i := range n {
		id := ids[i*step+night%step]
		if active && i%10 > 0 {
			id = ids[(i*tenth/n+night)%tenth]
		}
		set := emulator.FieldChange{Field: "name", Value: fmt.Sprintf("Changed Name %d", i)}
		if err := w.UpdateContact(id, set); err != nil {
			return err
		}
	}
	w.Advance(time.Hour)
	return nil
}

// replyConversations adds a reply to n conversations, spread over all, and makes the changes searchable.
func replyConversations(w *emulator.Workspace, n int) error {
	ids := w.ConversationIDs()
	if n <= 0 || n > len(ids) {
		return fmt.Errorf("%d of %d conversations cannot be answered", n, len(ids))
	}
	w.Advance(72 * time.Hour)
	for i := range n {
		if err := w.ReplyConversation(ids[i*(len(ids)/n)], conversations.ByTeammate, "We are looking into it."); err != nil {
			return err
		}
	}
	w.Advance(time.Hour)
	return nil
}

// noConversations is the Config.Conversations of a workspace without conversations.
const noConversations = -1

// emulatedSpace is the emulated workspace, seen from the measuring process.
type emulatedSpace struct {
	url   string
	child *childProcess
}

// openSpace starts a workspace and waits until it answers.
func openSpace(contacts, conversations int, latency time.Duration) (*emulatedSpace, error) {
	c, err := startRole("space", strconv.Itoa(contacts), strconv.Itoa(conversations), latency.String())
	if err != nil {
		return nil, err
	}
	line, err := c.lines.ReadString('\n')
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start the emulator: %w", err), c.stopChild())
	}
	return &emulatedSpace{url: strings.TrimSpace(line), child: c}, nil
}

// postCommand sends a command that only the bench knows to the workspace.
func (s *emulatedSpace) postCommand(ctx context.Context, path string) error {
	_, err := s.askBench(ctx, http.MethodPost, path)
	return err
}

// fetchJSON asks the workspace for a value that only the bench knows.
func (s *emulatedSpace) fetchJSON(ctx context.Context, path string, into any) error {
	text, err := s.askBench(ctx, http.MethodGet, path)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

func (s *emulatedSpace) askBench(ctx context.Context, method, path string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, method, s.url+path, nil)
	if err != nil {
		return nil, err
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode >= http.StatusMultipleChoices {
		err = fmt.Errorf("%s %s: %s %s", method, path, answer.Status, text)
	}
	return text, err
}

func (s *emulatedSpace) stopEmulator() error { return s.child.stopChild() }

// countTruth counts the active contacts of a workspace and their tags, from its events.
func countTruth(rows func(table string) []map[string]any) (contacts, tags int) {
	var ids []string
	for _, row := range rows("contacts") {
		ids = append(ids, row["id"].(string))
	}
	slices.Sort(ids)
	for _, row := range rows("contact_tags") {
		if _, active := slices.BinarySearch(ids, row["contact_id"].(string)); active {
			tags++
		}
	}
	return len(ids), tags
}
