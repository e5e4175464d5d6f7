package duck

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"sync"

	"github.com/duckdb/duckdb-go/v2"
)

// Pool keeps the engine of a closed file for the next file with the same settings. Starting an engine costs 20 ms of CPU time, attaching
// a file to a running one costs one. It is for files of one warehouse, one after the other. Close ends it.
type Pool struct {
	reach string // directory with all files that its engines may open

	mu     sync.Mutex // guards what follows
	idle   []*engine
	closed bool
}

// NewPool makes a pool for files below a directory.
func NewPool(reach string) *Pool { return &Pool{reach: reach} }

// Close ends the engines that no file is open in. Those of open files end when their files are closed.
func (p *Pool) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var errs []error
	for _, e := range p.idle {
		errs = append(errs, e.instance.Close())
	}
	p.idle, p.closed = nil, true
	return errors.Join(errs...)
}

// engine is a running DuckDB with its settings.
type engine struct {
	instance *sql.DB
	settings engineSettings
	locked   bool // statements reach no other files any more, and cannot change the settings
	damaged  bool // it opened a file only in part
	defined  int  // functions of Define
}

// engineSettings are the options that a running engine cannot change.
type engineSettings struct {
	threads           int
	memory            int64
	tempDir, timezone string
}

// take gives an engine for a file: an idle one where there is one.
func (p *Pool) take(o Options) (*engine, error) {
	s := engineSettings{threads: max(o.Threads, 1), memory: o.Memory, tempDir: o.TempDir, timezone: o.Timezone}
	if s.memory == 0 {
		s.memory = memoryLimit
	}
	if s.timezone == "" {
		s.timezone = "UTC"
	}
	if p != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		if i := slices.IndexFunc(p.idle, func(e *engine) bool { return e.settings == s }); i >= 0 {
			e := p.idle[i]
			p.idle = slices.Delete(p.idle, i, i+1)
			return e, nil
		}
	}
	return startEngine(s)
}

// startEngine starts a DuckDB that has no file open.
func startEngine(s engineSettings) (*engine, error) {
	settings := url.Values{}
	settings.Set("threads", strconv.Itoa(s.threads))
	settings.Set("memory_limit", strconv.FormatInt(s.memory, 10)+"B")
	settings.Set("checkpoint_threshold", "1TB")
	settings.Set("autoinstall_known_extensions", "false")
	settings.Set("autoload_known_extensions", "false")
	settings.Set("temp_directory", s.tempDir)
	// A checkpoint would merge the small groups that end each commit with their whole neighbours, again and
	// again: measured 4 CPU-seconds for 200,000 rows, against 0.02. A rebuild packs them.
	settings.Set("max_vacuum_tasks", "0")
	// A transaction writes each full group of rows to the file at once. By default DuckDB collects up to five of a table, or a tenth of
	// its memory: with long texts in several tables that is more than it has beside a batch.
	settings.Set("write_buffer_row_group_count", "1")
	settings.Set("default_block_size", strconv.Itoa(blockSize))
	settings.Set("zstd_min_string_length", strconv.Itoa(longText))
	settings.Set("preserve_insertion_order", "true")
	// The cache takes a Parquet file for an older one with the same path, inode, size and second, and then reads it by the
	// older one's footer. What is read here is read once.
	settings.Set("enable_external_file_cache", "false")
	// Another DuckDB that gets Arrow from this one then sees the same types: JSON and UUID instead of text.
	settings.Set("arrow_lossless_conversion", "true")
	connector, err := duckdb.NewConnector("?"+settings.Encode(), nil)
	if err != nil {
		return nil, err
	}
	e := &engine{instance: sql.OpenDB(connector), settings: s}
	e.instance.SetMaxIdleConns(0) // each file gets a connection of its own: temporary tables and macros end with it
	return e, nil
}

// lockStatements set what is left to set, and then lock the engine against all files but those that are attached and those in reach.
// Views and stream files may have SQL of users. It must reach nothing else, and must not change these settings.
func (e *engine) lockStatements(o Options) []string {
	statements := []string{
		"PRAGMA disable_checkpoint_on_shutdown",
		// Building FSST's tables of symbols for each column of each group costs more than they save. Measured on 100,000
		// contacts: 9 % of the CPU time from the socket to Parquet, for a file of 79 MB instead of 70. It is set here, because
		// DuckDB ignores it among the settings that it is opened with.
		"SET disabled_compression_methods = 'fsst'",
		"SET GLOBAL TimeZone = " + Text(e.settings.timezone),
	}
	reach := o.Reach
	if o.Pool != nil {
		reach = []string{o.Pool.reach}
	}
	if len(reach) > 0 {
		statements = append(statements, "SET allowed_directories = "+quoteList(reach))
	}
	return append(statements, "SET enable_external_access = false", "SET lock_configuration = true")
}

// giveBack takes an engine whose connection is closed. One that cannot be used again ends here. On a nil pool every engine ends.
func (p *Pool) giveBack(e *engine) error {
	if p != nil && !e.damaged && e.detachFiles() == nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		if !p.closed {
			p.idle = append(p.idle, e)
			return nil
		}
	}
	return e.instance.Close()
}

// detachFiles closes the files of an engine. It fails in an engine that DuckDB has given up after an error.
func (e *engine) detachFiles() error {
	for _, name := range []string{Catalog, Bookkeeping, Later} {
		if _, err := e.instance.ExecContext(context.Background(), "DETACH DATABASE IF EXISTS "+name); err != nil {
			return err
		}
	}
	return nil
}
