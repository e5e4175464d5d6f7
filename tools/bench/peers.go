package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/duckdb/duckdb-go/v2"
)

// peerFiles is the directory with the driver of each peer and the packages of each environment.
const peerFiles = "tools/bench/peers"

// peer is another program that reads this API. Its driver gets the address, the token and the path of the DuckDB file to write.
type peer struct {
	name         string   // with its version
	driver       string   // file in peerFiles
	environments []string // the driver runs in the first
	contacts     string   // statement that counts different contacts in its file
	tags         string   // the same for tags of contacts; "": it makes no table of them, and tags counts items in a column
	note         string   // what was patched, and what it leaves out
}

// peers are those that a package index has and that read contacts without a service.
var peers = []peer{
	{
		"dlt 1.31.0, `rest_api`", "read_dlt.py", []string{"dlt"},
		"SELECT count(DISTINCT id) FROM contacts", "SELECT count(*) FROM contacts__tags__data",
		"`append`, two processes normalize; custom attributes stay JSON, because a number beyond 64 bits in them ends its load; it has no request for the rest of a cut list",
	},
	{
		"ingestr 0.14.155", "read_ingestr.py", []string{"ingestr"},
		"SELECT count(DISTINCT id) FROM contacts", "SELECT coalesce(sum(json_array_length(tags, '$.data')), 0)::BIGINT FROM contacts",
		"its requests are redirected to the emulator; lists stay JSON, no child tables, the rest of a cut list is not read; the last version with its program inside the package",
	},
	{
		"tap-intercom 2.2.5, target-duckdb 0.8.0", "read_tap.py", []string{"tap", "target"},
		"SELECT count(DISTINCT id) FROM contacts", "SELECT coalesce(sum(json_array_length(tags, '$')), 0)::BIGINT FROM contacts",
		"its requests are redirected to the emulator; lists stay JSON; it waits after 1,000 requests in a minute",
	},
	{
		"airbyte-source-intercom 0.8.3 with its airbyte-cdk 4.6.2", "read_cdk.py", []string{"cdk"},
		"SELECT count(DISTINCT id) FROM contacts", "SELECT coalesce(sum(json_array_length(tags, '$.data')), 0)::BIGINT FROM contacts",
		"its requests are redirected to the emulator; airbyte-cdk 7 refuses its manifest; no destination: DuckDB reads the lines that it prints; lists stay JSON, the rest of a cut list is not read",
	},
}

// peerRun is what one program did with a workspace.
type peerRun struct {
	name           string
	cost           processCost
	requests       int64
	contacts, tags int64
	note           string
}

// runPeers installs the peers into a directory, lets each read the same workspace once, in turns with this program, and prints one table.
func runPeers(ctx context.Context, sizes, into string) error {
	for _, p := range peers {
		for _, environment := range p.environments {
			if err := installPeer(into, environment); err != nil {
				return err
			}
		}
	}
	fmt.Println(describeMachine(ctx))
	return ofEach(sizes, func(contacts int) error {
		b := &workspaceBench{contacts: contacts, runs: 1}
		return b.withRecords(ctx, func(ctx context.Context) error { return b.comparePeers(ctx, into, os.Stdout) })
	})
}

// installPeer makes an environment of one peer and installs the packages of its list there. One that is complete stays.
func installPeer(into, environment string) error {
	packages, done := filepath.Join(peerFiles, environment+".txt"), filepath.Join(into, environment, "installed.txt")
	wanted, err := os.ReadFile(packages)
	if err != nil {
		return err
	}
	if installed, err := os.ReadFile(done); err == nil && string(installed) == string(wanted) {
		return nil
	}
	for _, command := range []*exec.Cmd{
		exec.Command("python3", "-m", "venv", "--clear", filepath.Join(into, environment)),
		exec.Command(filepath.Join(into, environment, "bin", "pip"), "install", "--quiet", "--disable-pip-version-check", "-r", packages),
	} {
		command.Stderr = os.Stderr
		if err := command.Run(); err != nil {
			return fmt.Errorf("install %s: %s: %w", environment, command, err)
		}
	}
	return os.WriteFile(done, wanted, 0o600)
}

// comparePeers runs the floor, this program and each peer once over the workspace, and prints the table.
func (b *workspaceBench) comparePeers(ctx context.Context, into string, w io.Writer) error {
	var truth struct{ Contacts, Tags int64 }
	if err := b.space.fetchJSON(ctx, "/_bench/truth", &truth); err != nil {
		return err
	}
	if err := b.measureReferences(); err != nil {
		return err
	}
	runs := []peerRun{{name: "the floor", cost: b.report.floor[0], contacts: truth.Contacts, note: "from recorded answers, without requests; tags beyond ten are not in them"}}
	s, err := b.runSync(b.dataDir(), "contacts")
	if err != nil {
		return err
	}
	own := peerRun{name: "**aqueduck**", cost: s.cost, requests: s.requests}
	if err := own.countRows(filepath.Join(b.dataDir(), "warehouse.duckdb"), "SELECT count(*) FROM contacts", "SELECT count(*) FROM contact_tags JOIN contacts ON id = contact_id"); err != nil {
		return err
	}
	runs = append(runs, own)
	for _, p := range peers {
		r, err := b.runPeer(ctx, p, into)
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", p.name, err)
			r = peerRun{name: p.name, note: "it did not end well"}
		}
		runs = append(runs, r)
	}
	fmt.Fprintf(w, "\n%d contacts with %d tags, %.0f MB of JSON\n\n", truth.Contacts, truth.Tags, float64(b.report.bytes)/1e6)
	fmt.Fprintln(w, "| program | CPU s | times aqueduck | wall s | peak MiB | requests | contacts | tags | what to know |")
	fmt.Fprintln(w, "|---|---:|---:|---:|---:|---:|---:|---:|---|")
	for _, r := range runs {
		fmt.Fprintf(w, "| %s | %.1f | %.2f | %.0f | %d | %s | %s | %s | %s |\n", r.name, r.cost.cpu, r.cost.cpu/own.cost.cpu, r.cost.wall, r.cost.peak>>20,
			formatNonZero(r.requests), percentOf(r.contacts, truth.Contacts), percentOf(r.tags, truth.Tags), r.note)
	}
	return nil
}

func percentOf(n, all int64) string {
	if n == 0 || all == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(n)/float64(all))
}

// runPeer lets one peer read the workspace into a new file.
func (b *workspaceBench) runPeer(ctx context.Context, p peer, into string) (peerRun, error) {
	dir := filepath.Join(b.dir, "peer")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return peerRun{}, err
	}
	defer os.RemoveAll(dir)
	var before, after int64
	if err := b.space.fetchJSON(ctx, "/_bench/requests", &before); err != nil {
		return peerRun{}, err
	}
	python, err := filepath.Abs(filepath.Join(into, p.environments[0], "bin", "python"))
	if err != nil {
		return peerRun{}, err
	}
	file := filepath.Join(dir, "peer.duckdb")
	c, err := startChild(exec.Command(python, filepath.Join(peerFiles, p.driver), b.space.url, spaceToken, file))
	if err != nil {
		return peerRun{}, err
	}
	if _, err := c.readToEnd(); err != nil {
		return peerRun{}, err
	}
	if err := b.space.fetchJSON(ctx, "/_bench/requests", &after); err != nil {
		return peerRun{}, err
	}
	r := peerRun{name: p.name, cost: c.cost, requests: after - before, note: p.note}
	return r, r.countRows(file, p.contacts, p.tags)
}

// countRows counts the contacts and tags in a file that a program wrote.
func (r *peerRun) countRows(file, contacts, tags string) (err error) {
	connector, err := duckdb.NewConnector(file+"?access_mode=read_only", nil)
	if err != nil {
		return err
	}
	db := sql.OpenDB(connector)
	defer func() { err = errors.Join(err, db.Close()) }()
	for statement, into := range map[string]*int64{contacts: &r.contacts, tags: &r.tags} {
		if err := db.QueryRow(statement).Scan(into); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}
