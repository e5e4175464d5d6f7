package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// tablesConfig runs all streams with the tables of models that are the default. Another time zone is another definition: the next publish makes
// all rows of these tables again.
const tablesConfig = `version: 1
warehouse:
  dir: data
  parquet: none
  memory: 400MB
  timezone: %s
  office_hours: {monday: 09:00-17:00, tuesday: 09:00-17:00, wednesday: 09:00-17:00, thursday: 09:00-17:00, friday: 09:00-17:00}
workspaces: {main: {base_url: "${WORKSPACE_URL}", token: "${WORKSPACE_TOKEN}"}}
streams: {"reporting_*": {start: 2026-10-01}}
pipelines: {all: {streams: "*"}, contacts: {streams: [contacts]}}
`

// tablesBench measures what publishes pay for the tables of models over many conversations. Each measured run also changes some contacts, so that it
// publishes.
type tablesBench struct {
	modelsBench
	changed int     // contacts that the last change moved
	quiet   syncRun // no conversation has changed
	whole   syncRun // all rows of the tables are made again
	night   syncRun // one conversation in a hundred has changed
}

func (b *tablesBench) measureTables(ctx context.Context) (err error) {
	if b.dir, err = os.MkdirTemp("", "bench-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.dir)) }()
	if err := b.buildProgram(); err != nil {
		return err
	}
	if b.space, err = openSpace(b.contacts/copies, b.contacts/copies*4/5, 0); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.space.stopEmulator()) }()
	if _, err := b.runPipeline("all", "Europe/Dublin"); err != nil {
		return err
	}
	if err := b.editPublished("grow", strconv.Itoa(copies)); err != nil {
		return err
	}
	if _, err := b.runChanged(ctx, "Europe/Dublin"); err != nil { // it also notes the larger file
		return err
	}
	if b.quiet, err = b.runChanged(ctx, "Europe/Dublin"); err != nil {
		return err
	}
	if b.whole, err = b.runChanged(ctx, "Europe/Berlin"); err != nil {
		return err
	}
	if err := b.editPublished("touch", strconv.Itoa(nightShare)); err != nil {
		return err
	}
	if b.night, err = b.runChanged(ctx, "Europe/Berlin"); err != nil {
		return err
	}
	file, err := b.publishedFile()
	if err != nil {
		return err
	}
	text, _, err := measureRole("sizes", file)
	b.sizes, _, _ = strings.Cut(text, "\n")
	return err
}

func (b *tablesBench) publishedFile() (string, error) {
	return filepath.EvalSymlinks(filepath.Join(b.dataDir(), "warehouse.duckdb"))
}

// editPublished lets a role change the published file, and writes its checksum again.
func (b *tablesBench) editPublished(role string, args ...string) error {
	file, err := b.publishedFile()
	if err != nil {
		return err
	}
	if err := os.Chmod(file, 0o600); err != nil {
		return err
	}
	if _, _, err := measureRole(role, append([]string{file}, args...)...); err != nil {
		return err
	}
	in, err := os.Open(file)
	if err != nil {
		return err
	}
	sum := sha256.New()
	_, err = io.Copy(sum, in)
	if err := errors.Join(err, in.Close(), os.Chmod(file, 0o400)); err != nil {
		return err
	}
	note := strings.TrimSuffix(file, ".duckdb") + ".sha256"
	if err := os.Remove(note); err != nil {
		return err
	}
	return os.WriteFile(note, fmt.Appendf(nil, "%x  %s\n", sum.Sum(nil), filepath.Base(file)), 0o600)
}

func (b *tablesBench) runPipeline(name, timezone string) (syncRun, error) {
	config := filepath.Join(b.dir, "tables.yaml")
	if err := os.WriteFile(config, fmt.Appendf(nil, tablesConfig, timezone), 0o600); err != nil {
		return syncRun{}, err
	}
	return b.measureSync(exec.Command(b.binary, "-f", config, "--dir", b.dataDir(), "--quiet", "sync", name))
}

// runChanged changes some contacts, other ones than before, and reads contacts.
func (b *tablesBench) runChanged(ctx context.Context, timezone string) (syncRun, error) {
	b.changed += 2
	if err := b.space.postCommand(ctx, fmt.Sprintf("/_bench/change?contacts=%d", b.changed)); err != nil {
		return syncRun{}, err
	}
	return b.runPipeline("contacts", timezone)
}

// touchStatements write one conversation in $1 and its newest part again, as a commit of a changed conversation does: its other parts stay where they are.
const touchStatements = `CREATE TEMP TABLE touched AS SELECT max(changed_at) + INTERVAL 1 SECOND AS at FROM _sync.tables;
CREATE TEMP TABLE parts AS SELECT * REPLACE ((FROM touched) AS _synced_at) FROM conversation_parts WHERE hash(conversation_id) % $1 = 0
    QUALIFY row_number() OVER (PARTITION BY conversation_id ORDER BY created_at DESC, id DESC) = 1;
CREATE TEMP TABLE conversations AS SELECT * REPLACE ((FROM touched) AS _synced_at) FROM conversations_all WHERE hash(id) % $1 = 0;
DELETE FROM conversation_parts WHERE (conversation_id, id) IN (SELECT (conversation_id, id) FROM temp.parts);
DELETE FROM conversations_all WHERE hash(id) % $1 = 0;
INSERT INTO conversation_parts FROM temp.parts;
INSERT INTO conversations_all FROM temp.conversations;
UPDATE _sync.tables SET changed_at = (FROM touched) WHERE table_name IN ('conversations_all', 'conversation_parts');
CHECKPOINT`

// touchConversations lets some conversations of a published file look changed.
func touchConversations(args []string) (err error) {
	db, err := openWritable(args[0])
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	_, err = db.Exec(strings.ReplaceAll(touchStatements, "$1", args[1]))
	return err
}

// printTables writes the table for docs/internals/performance.md.
func (b *tablesBench) printTables(w io.Writer) {
	fmt.Fprintf(w, "\n%s\n\n", b.sizes)
	fmt.Fprintln(w, "| run | CPU s | for the tables of models | peak MiB |")
	fmt.Fprintln(w, "|---|---:|---:|---:|")
	line := func(name string, s syncRun) {
		fmt.Fprintf(w, "| %s | %.2f | %.2f | %d |\n", name, s.cost.cpu, s.cost.cpu-b.quiet.cost.cpu, s.cost.peak>>20)
	}
	line("some contacts changed", b.quiet)
	line("another time zone: all rows made again", b.whole)
	line(fmt.Sprintf("one conversation in %d changed", nightShare), b.night)
}
