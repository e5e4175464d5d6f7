package cli

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// openPseudoTerminal returns both ends of a terminal.
func openPseudoTerminal(t *testing.T) (ours, theirs *os.File) {
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

// resizeTerminal sets the width of a terminal.
func resizeTerminal(t *testing.T, f *os.File, columns uint16) {
	t.Helper()
	if err := unix.IoctlSetWinsize(int(f.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: columns}); err != nil {
		t.Fatal(err)
	}
}

func TestTerminalShowsTheActiveRun(t *testing.T) {
	t.Parallel()
	ours, theirs := openPseudoTerminal(t)
	resizeTerminal(t, theirs, 120)
	showsTheRunUnderWay(t, ours, theirs)
}

// TestProgressTTYShowsARunAsATable draws into a pipe, for systems that give a test no terminal.
func TestProgressTTYShowsARunAsATable(t *testing.T) {
	t.Parallel()
	ours, theirs, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ours.Close(); _ = theirs.Close() })
	showsTheRunUnderWay(t, ours, theirs, "--progress", "tty")
}

// showsTheRunUnderWay runs a sync that draws into theirs. It holds back a request of the history until the table shows it.
func showsTheRunUnderWay(t *testing.T, ours, theirs *os.File, arguments ...string) {
	t.Helper()
	h := newHeld(t)
	h.searches.Store(6)
	command := exec.Command("aqueduck", append([]string{"sync", "-f", h.file}, arguments...)...)
	command.Env = append(os.Environ(), append(h.environment(), "TERM=xterm", "NO_COLOR=1")...)
	var report strings.Builder
	command.Stdout, command.Stderr = &report, theirs
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = command.Process.Kill() })
	if err := theirs.Close(); err != nil {
		t.Fatal(err)
	}
	head := regexp.MustCompile(`nightly reading for \S+: percent and time left unknown, [\d,]+ rows, \d+ requests`)
	line := regexp.MustCompile(`contacts +backfill +[\d,]+ +[\d,]+ +\d+ +\d+ %`)
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
