package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// Memory limits: for a million contacts alone, a tenth above the 512 MiB that they take, and with ten million parts of conversations beside them.
const (
	contactsMemory = 563 << 20
	wholeMemory    = 1 << 30
)

// mappedMargin is the mapped memory that a process may have beyond wholeMemory. The limit on mapped memory also counts stacks of idle threads
// and memory that allocators have returned: with 1 GiB in all, a first run with 100,000 conversations ran out of memory.
const mappedMargin = 1 << 30

// largeBench measures a workspace of the largest size that the program is made for. It fails when a run needs more memory than allowed.
type largeBench struct {
	workspaceBench
	conversations int
	alone         watchedRun // contacts alone
	first         watchedRun // both
	nothing       watchedRun
}

func runLarge(ctx context.Context, sizes string, conversations int, profile string) error {
	fmt.Println(describeMachine(ctx))
	return ofEach(sizes, func(contacts int) error {
		b := &largeBench{workspaceBench: workspaceBench{contacts: contacts, profile: profile}, conversations: conversations}
		err := b.measureLarge(ctx)
		b.printLarge(os.Stdout)
		return err
	})
}

func (b *largeBench) measureLarge(ctx context.Context) (err error) {
	if b.dir, err = os.MkdirTemp("", "bench-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.dir)) }()
	if err := b.buildProgram(); err != nil {
		return err
	}
	if b.space, err = openSpace(b.contacts, b.conversations, 0); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.space.stopEmulator()) }()
	if b.alone, err = b.watchRun("contacts", contactsMemory); err != nil {
		return err
	}
	if err := os.RemoveAll(b.dataDir()); err != nil {
		return err
	}
	if b.first, err = b.watchRun("large", wholeMemory); err != nil {
		return err
	}
	b.nothing, err = b.watchRun("large", wholeMemory)
	return errors.Join(err, ctx.Err())
}

// watchRun runs the program once with limited memory, and watches its directory.
func (b *largeBench) watchRun(name string, memory int64) (watchedRun, error) {
	file := filepath.Join(b.dir, "pipelines.yaml")
	text := fmt.Sprintf(configuration, "")
	if name == "large" { // the tables of models over ten million parts need it (decision 0038)
		text = strings.Replace(text, "{dir: data}", "{dir: data, memory: 400MB}", 1)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return watchedRun{}, err
	}
	self, err := os.Executable()
	if err != nil {
		return watchedRun{}, err
	}
	command := exec.Command(self, "within", strconv.Itoa(wholeMemory+mappedMargin), b.binary, "-f", file, "--dir", b.dataDir(), "--quiet", "sync", name)
	stop := watchDir(b.dataDir())
	s, err := b.measureSync(command)
	w := stop(s)
	w.printRun(os.Stderr, name)
	if err == nil && s.cost.peak > memory {
		err = fmt.Errorf("%s took %d MiB of memory, it may take %d (F15)", name, s.cost.peak>>20, memory>>20)
	}
	return w, err
}

// execLimited replaces this process by another program, with a kernel limit on its data segment.
func execLimited(args []string) error {
	most, err := strconv.ParseUint(args[0], 10, 64)
	if err != nil {
		return err
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{Cur: most, Max: most}); err != nil {
		return fmt.Errorf("bound the memory of %s: %w", args[1], err)
	}
	return syscall.Exec(args[1], args[1:], os.Environ())
}

// printLarge writes the table for docs/internals/performance.md.
func (b *largeBench) printLarge(w io.Writer) {
	fmt.Fprintf(w, "\n%d contacts, %d conversations\n\n", b.contacts, b.conversations)
	fmt.Fprintln(w, "| run | CPU s | wall s | rows written | rows / CPU s | peak MiB | requests | publishes: CPU s (wall s) | disk MB after | at most |")
	fmt.Fprintln(w, "|---|---:|---:|---:|---:|---:|---:|---|---:|---:|")
	b.alone.printRun(w, "contacts alone, first run")
	b.first.printRun(w, "first run")
	b.nothing.printRun(w, "nothing changed")
}

func (w watchedRun) printRun(out io.Writer, name string) {
	if w.cost.cpu == 0 {
		return // nothing was measured
	}
	var publishes []string
	for _, p := range w.publishes {
		publishes = append(publishes, fmt.Sprintf("%.1f (%.1f)", p.cpu, p.wall.Seconds()))
	}
	fmt.Fprintf(out, "| %s | %.2f | %.0f | %d | %.0f | %d | %d | %s | %d | %d |\n", name, w.cost.cpu, w.cost.wall, w.rows, float64(w.rows)/w.cost.cpu,
		w.cost.peak>>20, w.requests, strings.Join(publishes, ", "), w.after/1e6, w.most/1e6)
}
