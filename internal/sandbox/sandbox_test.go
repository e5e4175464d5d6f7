package sandbox_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"aqueduck/internal/sandbox"
)

func TestMain(m *testing.M) {
	if sandbox.IsTaskProcess() {
		os.Exit(sandbox.Serve(tasks))
	}
	os.Exit(m.Run())
}

const word = 2

var tasks = map[string]sandbox.Task{
	"count": func(_ context.Context, request json.RawMessage, answer *sandbox.Answer) error {
		var n int
		if err := json.Unmarshal(request, &n); err != nil {
			return err
		}
		for i := range n {
			if err := answer.Send(word, fmt.Append(nil, i, strings.Repeat("x", i%2000))); err != nil {
				return err
			}
		}
		return nil
	},
	"refuse": func(context.Context, json.RawMessage, *sandbox.Answer) error { return errors.New("no") },
	"die": func(_ context.Context, request json.RawMessage, _ *sandbox.Answer) error {
		fmt.Fprintln(os.Stderr, "last words")
		return syscall.Kill(os.Getpid(), syscall.SIGKILL)
	},
	"panic": func(context.Context, json.RawMessage, *sandbox.Answer) error { panic("at the disco") },
	"allocate": func(context.Context, json.RawMessage, *sandbox.Answer) error {
		kept := make([][]byte, 0, 64)
		for range cap(kept) {
			kept = append(kept, make([]byte, 64<<20))
		}
		return fmt.Errorf("%d were to be had", len(kept))
	},
	"spin": func(context.Context, json.RawMessage, *sandbox.Answer) error {
		for i := 0; ; i++ {
			if i < 0 {
				return nil
			}
		}
	},
	"hang": func(_ context.Context, _ json.RawMessage, answer *sandbox.Answer) error {
		if err := errors.Join(answer.Send(word, fmt.Append(nil, os.Getpid())), answer.Flush()); err != nil {
			return err
		}
		select {}
	},
	"look": func(_ context.Context, _ json.RawMessage, answer *sandbox.Answer) error {
		fmt.Println("what DuckDB logs to standard output is no part of the answer")
		return answer.Send(word, []byte(strings.Join(os.Environ(), " ")))
	},
	"listen": func(ctx context.Context, _ json.RawMessage, _ *sandbox.Answer) error {
		if _, err := fmt.Fprintln(sandbox.InheritedFile(0, "said"), os.Getenv("WORKSPACE_TOKEN")); err != nil {
			return err
		}
		<-ctx.Done()
		var told *sandbox.Stopped
		if !errors.As(context.Cause(ctx), &told) {
			return context.Cause(ctx)
		}
		return fmt.Errorf("told %s", told.Message)
	},
	"too much": func(_ context.Context, _ json.RawMessage, answer *sandbox.Answer) error {
		return answer.Send(word, make([]byte, 129<<20))
	},
}

func runTask(t *testing.T, ctx context.Context, task string, limits sandbox.Limits, request any) (messages []string, err error) {
	t.Helper()
	program, err := sandbox.CurrentProgram()
	if err != nil {
		t.Fatal(err)
	}
	err = program.Run(ctx, task, limits, request, func(kind byte, payload []byte) error {
		if kind != word {
			t.Errorf("kind %d", kind)
		}
		messages = append(messages, string(payload))
		return nil
	})
	return messages, err
}

func TestMessagesComeInTheirOrder(t *testing.T) {
	t.Parallel()
	messages, err := runTask(t, t.Context(), "count", sandbox.Limits{Memory: 2 << 30}, 5000)
	if err != nil || len(messages) != 5000 {
		t.Fatalf("%d messages, %v", len(messages), err)
	}
	for i, m := range messages {
		if m != fmt.Sprint(i)+strings.Repeat("x", i%2000) {
			t.Fatalf("message %d is %.20s", i, m)
		}
	}
	if _, err := runTask(t, t.Context(), "refuse", sandbox.Limits{}, nil); err == nil || err.Error() != "no" {
		t.Errorf("error %v", err)
	}
	if _, err := runTask(t, t.Context(), "fly", sandbox.Limits{}, nil); err == nil || err.Error() != `no task is called "fly"` {
		t.Errorf("error %v", err)
	}
	if _, err := runTask(t, t.Context(), "too much", sandbox.Limits{}, nil); err == nil || err.Error() != sandbox.ErrTooLarge.Error() {
		t.Errorf("error %v", err)
	}
	if err := (sandbox.Program{}).Run(t.Context(), "count", sandbox.Limits{}, 1, nil); err == nil {
		t.Error("no program was started")
	}
}

// TestS50ATaskThatDiesIsReported has tasks that are killed, that panic, or that exceed their memory or CPU time: this process
// survives.
func TestS50ATaskThatDiesIsReported(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		task   string
		limits sandbox.Limits
		want   string
		memory bool
	}{
		{task: "die", want: "its process ended: signal: killed: last words"},
		{task: "panic", want: "its process ended: exit status 2: panic: at the disco"},
		{task: "allocate", limits: sandbox.Limits{Memory: 512 << 20}, want: "its process ended: exit status 2: fatal error: ", memory: true},
		{task: "spin", limits: sandbox.Limits{CPU: 1}, want: "its process ended: exit status 1: its CPU time is used up"},
	} {
		if tc.memory && testing.Short() {
			continue // the race detector exceeds the memory limit and dies with a message that is not recognised
		}
		_, err := runTask(t, t.Context(), tc.task, tc.limits, nil)
		var died *sandbox.ProcessDied
		if !errors.As(err, &died) || !strings.HasPrefix(err.Error(), tc.want) || died.OutOfMemory() != tc.memory {
			t.Errorf("%s: %v, want %s", tc.task, err, tc.want)
		}
	}
}

// TestS51AContextThatEndsKillsTheProcess ends a task that hangs, by a timeout and by an error of take.
func TestS51AContextThatEndsKillsTheProcess(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	messages, err := runTask(t, ctx, "hang", sandbox.Limits{}, nil)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	var pid int
	if len(messages) == 1 {
		if _, err := fmt.Sscan(messages[0], &pid); err != nil || syscall.Kill(pid, 0) == nil {
			t.Errorf("process %d lives on (%v)", pid, err)
		}
	}
	program, err := sandbox.CurrentProgram()
	if err != nil {
		t.Fatal(err)
	}
	enough := errors.New("enough")
	if err := program.Run(t.Context(), "hang", sandbox.Limits{}, nil, func(byte, []byte) error { return enough }); !errors.Is(err, enough) {
		t.Errorf("error %v", err)
	}
}

func TestS7ATaskProcessInheritsNoEnvironment(t *testing.T) {
	t.Setenv("WORKSPACE_TOKEN", "sesame")
	t.Setenv("LD_LIBRARY_PATH", "/nowhere")
	messages, err := runTask(t, t.Context(), "look", sandbox.Limits{}, nil)
	if err != nil || len(messages) != 1 || messages[0] != "LD_LIBRARY_PATH=/nowhere GOTRACEBACK=none" {
		t.Errorf("%q, %v", messages, err)
	}
}

// TestADelegatedTaskIsAskedToEnd: it has this process's environment and a file, and ends without being killed.
func TestADelegatedTaskIsAskedToEnd(t *testing.T) {
	t.Setenv("WORKSPACE_TOKEN", "sesame")
	program, err := sandbox.CurrentProgram()
	if err != nil {
		t.Fatal(err)
	}
	from, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		ended <- program.Delegate(ctx, sandbox.DelegatedTask{Task: "listen", Files: []*os.File{to}, Take: func(byte, []byte) error { return nil }, Stop: func() any { return []int{15} }})
	}()
	said := make([]byte, 7)
	if _, err := from.Read(said); err != nil || string(said) != "sesame\n" {
		t.Fatalf("it said %q, %v", said, err)
	}
	cancel()
	if err := <-ended; err == nil || err.Error() != "told [15]" {
		t.Errorf("it ended with %v", err)
	}
	var died *sandbox.ProcessDied
	if err := program.Delegate(t.Context(), sandbox.DelegatedTask{Task: "die"}); !errors.As(err, &died) || died.State != "signal: killed" {
		t.Errorf("one that dies ends with %v", err)
	}
}
