package cli

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"aqueduck/internal/pipeline"
)

// pseudo gives both ends of a terminal.
func pseudo(t *testing.T) (ours, theirs *os.File) {
	t.Helper()
	ours, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("this system has no pseudo terminals:", err)
	}
	fd := int(ours.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	theirs, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ours.Close(); _ = theirs.Close() })
	return ours, theirs
}

func TestATerminalShowsTheRunUnderWay(t *testing.T) {
	t.Parallel()
	ours, theirs := pseudo(t)
	showsTheRunUnderWay(t, ours, theirs)
}

// TestARunToldToShowsItselfAsATable draws into a pipe what a terminal would get: for systems that lend a test none.
func TestARunToldToShowsItselfAsATable(t *testing.T) {
	t.Parallel()
	ours, theirs, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ours.Close(); _ = theirs.Close() })
	showsTheRunUnderWay(t, ours, theirs, "--progress", "tty")
}

// showsTheRunUnderWay runs a sync that draws into theirs, holds a request of its history until the table has told of it, and reads on.
func showsTheRunUnderWay(t *testing.T, ours, theirs *os.File, arguments ...string) {
	t.Helper()
	h := newHeld(t)
	h.searches.Store(8)
	command := exec.Command("aqueduck", append([]string{"sync", "-f", h.file}, arguments...)...)
	command.Env = append(os.Environ(), append(h.env(), "TERM=xterm", "NO_COLOR=1")...)
	var report strings.Builder
	command.Stdout, command.Stderr = &report, theirs
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = command.Process.Kill() })
	if err := theirs.Close(); err != nil {
		t.Fatal(err)
	}
	head := regexp.MustCompile(`nightly reading for \S+: \d?\d%, (about \S+ left, )?[\d,]+ rows, \d+ requests, \d+ a minute`)
	line := regexp.MustCompile(`contacts +history +[\d,]+ +[\d,]+ +\d+ +\d+ %`)
	var shown strings.Builder
	buffer := make([]byte, 4096)
	opened := false
	for {
		n, err := ours.Read(buffer)
		shown.Write(buffer[:n])
		if err != nil {
			break // the process has ended
		}
		if !opened && head.MatchString(shown.String()) && line.MatchString(shown.String()) {
			opened = true
			h.open()
		}
	}
	if err := command.Wait(); err != nil || !opened {
		t.Fatalf("%v; shown:\n%s", err, shown.String())
	}
	if strings.Contains(shown.String(), "level=") || !strings.HasSuffix(shown.String(), "\x1b[J") {
		t.Errorf("lines of a log, or a table that was left behind:\n%q", shown.String())
	}
	if !strings.Contains(report.String(), "OK nightly ok=") || strings.Contains(report.String(), "\x1b[") {
		t.Errorf("the report:\n%s", report.String())
	}
}

// TestTheTableOfARunIsDrawnInItsOwnPlace plays a terminal: what was written stays above, of the tables only the last is left.
func TestTheTableOfARunIsDrawnInItsOwnPlace(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	s := &screen{to: &out}
	run := pipeline.Running{Pipeline: "nightly", Doing: "reading", Percent: 37, Streams: []pipeline.RunningStream{
		{Stream: "contacts", Phase: "history"}, {Stream: strings.Repeat("a_long_name_", 9), Phase: "waiting"},
	}}
	s.show(run)
	fmt.Fprintln(s, "a word")
	run.Percent = 38
	s.show(run)
	var lines []string
	for _, piece := range strings.SplitAfter(out.String(), "\n") {
		for text, found := piece, true; found; {
			var up int
			var before string
			before, text, found = strings.Cut(text, "\x1b[")
			if before != "" {
				lines = append(lines, strings.TrimSuffix(before, "\n"))
			}
			if found {
				if _, err := fmt.Sscanf(text, "%dA\r\x1b[J", &up); err != nil {
					t.Fatalf("%q: %v", text, err)
				}
				lines = lines[:len(lines)-up]
				_, text, _ = strings.Cut(text, "\x1b[J")
			}
		}
	}
	if len(lines) != 5 || lines[0] != "a word" || !strings.Contains(lines[1], " 38%, ") || !strings.Contains(lines[3], "contacts") {
		t.Errorf("left on the screen:\n%s", strings.Join(lines, "\n"))
	}
	for _, line := range lines {
		if len([]rune(line)) > wide {
			t.Errorf("too wide: %s", line)
		}
	}
	s.clear()
	if !strings.HasSuffix(out.String(), "\x1b[4A\r\x1b[J") {
		t.Error("the table was not taken away")
	}
}
