package load

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"aqueduck/internal/crash"
	"aqueduck/load/internal/disk"
	"aqueduck/load/internal/duck"
	"aqueduck/load/layout"
	"aqueduck/load/tombstone"
	"aqueduck/transform"
)

// Options of a work database.
type Options struct {
	Now      func() time.Time
	RunID    string
	Memory   int64           // bytes that DuckDB may use; 0: 200 MB
	Threads  int             // 0: 1
	Timezone string          // "": UTC; what days and weeks mean in relations
	FoldAt   int64           // bytes of log that make Needed true; 0: 512 MB
	RowGroup int             // rows DuckDB keeps together; 0: 32768
	Keep     map[string]bool // table.column of personal data that erasing a person leaves as it is
}

// foldAt is the log that a start still replays in seconds and under 400 MiB (measured at 501 MB: 2.9 s, 356 MiB).
const foldAt = 512 << 20

// Database is the open work database: one works in it at a time, by do. It knows the tables that are stored, and the time of the
// last commit.
type Database struct {
	dir     layout.Dir
	options Options

	mu       sync.Mutex // guards all below, and the database
	db       *duck.DB   // nil while closed
	last     time.Time  // the largest _synced_at ever given
	tables   map[[2]string]transform.Table
	recalled map[[2]string]transform.Table // stored, and perhaps not prepared
	derived  map[string][]string           // by schema: tables that each publish makes anew
	suspect  bool                          // the database has shown damage: the next Open sets it aside
}

// newDatabase is a database that is not open yet.
func newDatabase(d layout.Dir, o Options) *Database {
	return &Database{dir: d, options: o, tables: map[[2]string]transform.Table{}, recalled: map[[2]string]transform.Table{}, derived: map[string][]string{}}
}

// Work is the open work database. Its methods may be called from many goroutines; one works at a time. What it can do stands with the
// types that it is made of, by concern.
type Work struct {
	Restored string // what Open had to repair, in words; "" when nothing
	Copied   bool   // Open made it from the file that readers have

	*Database
	*Tables
	*Checkpoints
	*Sweeps
	*ChildQueue
	*DeadLetters
	*Histories
	*Records
	*Facts
	*Masks
	*Erasures
}

// newWork gives all concerns one database.
func newWork(db *Database, tombs *tombstone.Log) *Work {
	checkpoints, erasures := &Checkpoints{db}, &Erasures{Database: db, tombs: tombs}
	return &Work{
		Database: db, Tables: &Tables{db}, Checkpoints: checkpoints, Sweeps: &Sweeps{checkpoints}, ChildQueue: &ChildQueue{checkpoints},
		DeadLetters: &DeadLetters{db}, Histories: &Histories{db, erasures}, Records: &Records{db}, Facts: &Facts{db}, Masks: &Masks{db}, Erasures: erasures,
	}
}

// Open opens the work database, makes it from the newest whole published file when there is none, and repairs what a
// killed process left. The caller holds the lock.
func Open(ctx context.Context, d layout.Dir, o Options) (*Work, error) {
	if err := layout.Tidy(d); err != nil {
		return nil, disk.Explain(fmt.Errorf("clean up %s: %w", d.State(), err), string(d))
	}
	tombs, err := tombstone.Read(d)
	if err != nil {
		return nil, fmt.Errorf("read what was erased: %w", err)
	}
	w := newWork(newDatabase(d, o), tombs)
	if err := w.recover(ctx); err != nil {
		return nil, disk.Explain(fmt.Errorf("open the work database: %w", err), string(d))
	}
	if err := w.upgrade(ctx); err != nil {
		return nil, disk.Explain(errors.Join(fmt.Errorf("open the work database: %w", err), w.Close()), string(d))
	}
	if err := w.readErasures(ctx); err != nil {
		return nil, disk.Explain(errors.Join(fmt.Errorf("open the work database: %w", err), w.Close()), string(d))
	}
	return w, nil
}

// recover opens what is there; what cannot be opened is set aside, once, and made anew.
func (w *Work) recover(ctx context.Context) error {
	d := w.dir
	if disk.Exists(filepath.Join(d.Work(), suspectName)) {
		if err := w.setAside(errors.New("a run found it damaged")); err != nil {
			return err
		}
	}
	if disk.Exists(d.Database()) {
		err := w.open(ctx)
		if err == nil || ctx.Err() != nil || !damage(err) {
			return err
		}
		if err := w.setAside(err); err != nil {
			return err
		}
	}
	from, err := w.remake(ctx)
	if err != nil {
		return err
	}
	target, err := os.Readlink(d.Link())
	w.Copied = err == nil && filepath.Base(target) == from
	if w.Restored != "" {
		w.Restored += "; restored from " + from
	}
	return w.open(ctx)
}

// damage tells an error that only another copy of the database can cure. What is not known is taken for damage:
// restoring reads a little again, not restoring would need hands.
func damage(err error) bool {
	if errors.Is(err, ErrFormat) || errors.Is(disk.Explain(err, ""), ErrDiskFull) {
		return false
	}
	for _, sign := range []string{"Could not set lock on file", "Permission denied", "Too many open files", "Out of Memory"} {
		if strings.Contains(err.Error(), sign) {
			return false
		}
	}
	return true
}

// ErrWorkMemory is the end of a commit or a publish that needs more memory than DuckDB may use; what was stored is as it was.
var ErrWorkMemory = duck.ErrMemory

// ErrFormat is the answer to a database that a newer version of the program made.
var ErrFormat = errors.New("a newer version of the program made the database")

// open opens the work database as it is and reads what commits go on from.
func (w *Database) open(ctx context.Context) error {
	db, err := duck.Open(ctx, w.settings(w.dir.Database()))
	if err != nil {
		return err
	}
	last, err := readMeta(ctx, db)
	if err != nil {
		return errors.Join(err, db.Close())
	}
	w.db, w.last = db, last
	return nil
}

func (w *Database) settings(path string) duck.Options {
	return duck.Options{
		Path: path, Threads: w.options.Threads, Memory: w.options.Memory, TempDir: w.dir.Temp(),
		RowGroup: w.options.RowGroup, Timezone: w.options.Timezone,
	}
}

// readMeta checks that a database is one of ours and gives the largest _synced_at ever given in it.
func readMeta(ctx context.Context, db *duck.DB) (time.Time, error) {
	if _, err := readFormat(ctx, db); err != nil {
		return time.Time{}, err
	}
	var last sql.NullString
	if err := db.Scan(ctx, "SELECT max(value) FROM _sync.meta WHERE key = 'synced_at'", nil, &last); err != nil || !last.Valid {
		return time.Time{}, err
	}
	return time.Parse(time.RFC3339Nano, last.String)
}

// readFormat gives the format of a database, and refuses one that this program does not know.
func readFormat(ctx context.Context, db *duck.DB) (int, error) {
	var found sql.NullString
	if err := db.Scan(ctx, "SELECT max(value) FROM _sync.meta WHERE key = 'format'", nil, &found); err != nil {
		return 0, fmt.Errorf("read what the database says of itself: %w", err)
	}
	format, err := strconv.Atoi(found.String)
	switch {
	case err != nil || format < 1:
		return 0, fmt.Errorf("the database does not say what it is: its format is %q", found.String)
	case format > databaseFormat:
		return 0, fmt.Errorf("%w: it has format %d, this one knows %d", ErrFormat, format, databaseFormat)
	}
	return format, nil
}

// Dir is where the work database lives.
func (w *Database) Dir() layout.Dir { return w.dir }

// Become makes what it writes from now on what another run writes, by that one's clock.
func (w *Work) Become(runID string, now func() time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.options.RunID, w.options.Now = runID, now
}

// RunID is the run that its commits are of.
func (w *Database) RunID() string { return w.options.RunID }

// Now is the time of the machine.
func (w *Database) Now() time.Time { return w.options.Now() }

// Keeps reports whether erasing a person leaves a column of personal data, as table.column, as it is.
func (w *Database) Keeps(column string) bool { return w.options.Keep[column] }

// prepared notes tables that commits may write.
func (w *Database) prepared(schema string, tables []transform.Table) {
	for _, t := range tables {
		w.tables[[2]string{schema, t.Name}] = t
	}
}

// landed notes the time of a commit that has landed.
func (w *Database) landed(stamp time.Time) { w.last = stamp }

// LogSize is the size of the log that the next start would replay.
func (w *Database) LogSize() int64 { return disk.Size(w.dir.Database() + ".wal") }

// FoldNeeded says whether the log is long enough to be taken into the file.
func (w *Database) FoldNeeded() bool {
	limit := w.options.FoldAt
	if limit == 0 {
		limit = foldAt
	}
	return w.LogSize() > limit
}

// do works on the open database, alone. An error says what was being done, unless what is "", and is noted where it speaks of damage.
func (w *Database) do(what string, work func(db *duck.DB) error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.db == nil {
		return errClosed
	}
	err := work(w.db)
	if err != nil && what != "" {
		err = fmt.Errorf("%s: %w", what, err)
	}
	return w.judge(err)
}

// Close closes the database; what is committed stays. A database that has shown damage is marked for the next Open.
func (w *Database) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.close()
}

func (w *Database) close() error {
	if w.db == nil {
		return nil
	}
	err := w.db.Close()
	w.db = nil
	return errors.Join(err, w.mark())
}

// mark leaves word for the next Open when the database has shown damage.
func (w *Database) mark() error {
	if !w.suspect {
		return nil
	}
	return os.WriteFile(filepath.Join(w.dir.Work(), suspectName), nil, 0o600)
}

// Doubt passes on an error that a copy of the database gave. When it speaks of damage it is ErrDamaged, and the next Open sets the
// database aside, though it is closed.
func (w *Database) Doubt(err error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	err = w.judge(err)
	if w.db != nil {
		return err // Close marks it
	}
	return errors.Join(err, w.mark())
}

// ErrDamaged is the answer of a work database that has shown damage: the next Open makes it from the published file.
var ErrDamaged = errors.New("the work database is damaged")

// errClosed is the answer after Close or Publish.
var errClosed = errors.New("the work database is closed")

// judge passes an error on, notes damage that it speaks of, and says when the disk is full.
func (w *Database) judge(err error) error {
	if err == nil {
		return nil
	}
	err = disk.Explain(err, string(w.dir))
	if errors.Is(err, ErrDiskFull) || errors.Is(err, ErrDamaged) {
		return err
	}
	for _, sign := range []string{"Corrupt database file", "Corrupt WAL", "INTERNAL Error", "Serialization Error"} {
		if strings.Contains(err.Error(), sign) {
			w.suspect = true
			return fmt.Errorf("%w (%s): %w", ErrDamaged, w.dir.Database(), err)
		}
	}
	return err
}

// Fold takes the log into the file: in a copy, which then takes the work database's place.
func (w *Database) Fold(ctx context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.judge(w.fold(ctx))
}

func (w *Database) fold(ctx context.Context) error {
	if w.db == nil {
		return errClosed
	}
	if w.LogSize() == 0 {
		return nil
	}
	d := w.dir
	if err := disk.Room(string(d), 2*(disk.Size(d.Database())+w.LogSize()), "taking the log into the database"); err != nil {
		return err
	}
	if err := w.close(); err != nil {
		return fmt.Errorf("close the work database: %w", err)
	}
	if err := w.foldCopy(ctx); err != nil {
		return errors.Join(fmt.Errorf("take the log into the database: %w", err), w.open(context.WithoutCancel(ctx)))
	}
	return w.open(ctx)
}

func (w *Database) foldCopy(ctx context.Context) error {
	d := w.dir
	fresh := filepath.Join(d.State(), "new-fold")
	if err := CopyDatabase(fresh, d.Work()); err != nil {
		return err
	}
	crash.At(crash.FoldCopied)
	if err := checkpointCopy(ctx, w.settings(filepath.Join(fresh, "work.duckdb"))); err != nil {
		return err
	}
	crash.At(crash.FoldCheckpointed)
	if err := disk.Move(d.Folded(), fresh); err != nil {
		return err
	}
	crash.At(crash.FoldReady)
	return d.FinishFold()
}

// checkpointCopy takes the log of a private copy into its file, durably, and proves that no log is left.
func checkpointCopy(ctx context.Context, o duck.Options) error {
	db, err := duck.Open(ctx, o)
	if err != nil {
		return err
	}
	return checkpointClose(ctx, db, o.Path)
}

// checkpointClose is checkpointCopy of a private database that is open.
func checkpointClose(ctx context.Context, db *duck.DB, path string) error {
	err := db.Checkpoint(ctx)
	if err == nil && disk.Size(path+".wal") > 0 {
		err = replaceLog(ctx, db)
	}
	if err := errors.Join(err, db.Close()); err != nil {
		return err
	}
	if disk.Size(path+".wal") > 0 {
		return fmt.Errorf("%s still has a log after its checkpoint", path)
	}
	return disk.SyncFile(path)
}

// replaceLog gets rid of a log that ends before its first commit does, as a kill may leave it: to DuckDB it is nothing, which a
// checkpoint neither takes in nor away. What is written next takes its place.
func replaceLog(ctx context.Context, db *duck.DB) error {
	for _, statement := range []string{"INSERT INTO _sync.meta (key, value) VALUES ('log', '')", "DELETE FROM _sync.meta WHERE key = 'log'"} {
		if _, err := db.Exec(ctx, statement); err != nil {
			return err
		}
	}
	return db.Checkpoint(ctx)
}

// CopyDatabase copies a closed database with its log into a new directory.
func CopyDatabase(to, from string) error {
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	if err := os.Mkdir(to, 0o700); err != nil {
		return err
	}
	for _, name := range []string{"work.duckdb", "work.duckdb.wal"} {
		if !disk.Exists(filepath.Join(from, name)) {
			continue
		}
		if err := disk.Clone(filepath.Join(to, name), filepath.Join(from, name)); err != nil {
			return err
		}
	}
	return disk.SyncDir(to)
}

// table gives a table that Ensure has been told of.
func (w *Database) table(schema, name string) (transform.Table, error) {
	t, ok := w.tables[[2]string{schema, name}]
	if !ok {
		return t, fmt.Errorf("table %s.%s was not prepared before its first use", schema, name)
	}
	return t, nil
}

// schemaNames refuses schemas that mean something else to DuckDB or to us.
func schemaNames(schema string) error {
	taken := []string{"_sync", duck.Catalog, "temp", "system", "memory", "information_schema", "pg_catalog"}
	if schema == "" || slices.Contains(taken, strings.ToLower(schema)) {
		return fmt.Errorf("a workspace cannot be called %q: the name is taken", schema)
	}
	return nil
}
