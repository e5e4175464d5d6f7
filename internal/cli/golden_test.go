package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"aqueduck/internal/lane"
	"aqueduck/internal/oracletest"
	"aqueduck/load/lakecheck"
	"aqueduck/load/layout"
)

// TestF26WarehouseOfAnEarlierProgramIsUsed uses a warehouse that a program of each earlier format has left. The present
// program reads it, erases a contact, which writes every file again, and keeps everything else. It refuses a warehouse of a later format.
func TestF26WarehouseOfAnEarlierProgramIsUsed(t *testing.T) {
	lane.SkipHeavy(t)
	t.Parallel()
	if testing.Short() {
		t.Skip("its processes are built without the race detector: make test-all runs it")
	}
	files, err := filepath.Glob("testdata/warehouse*.tar.gz")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			home := t.TempDir()
			if out, err := exec.Command("tar", "-xzf", file, "-C", home).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if err := os.WriteFile(filepath.Join(home, "pipelines.yaml"), []byte(nightly), 0o600); err != nil {
				t.Fatal(err)
			}
			dir := layout.Dir(filepath.Join(home, "warehouse"))
			rows := func(query string) []string {
				t.Helper()
				rows, err := oracletest.QueryRows(dir.Current(), query)
				if err != nil {
					t.Fatal(err)
				}
				return rows
			}
			run := func(args ...string) *testProcess {
				t.Helper()
				path, err := built()
				if err != nil {
					t.Fatal(err)
				}
				env := []string{"WORKSPACE_URL=http://127.0.0.1:1", "WORKSPACE_TOKEN=none"}
				return startProcess(t, path, env, append(args, "--file", filepath.Join(home, "pipelines.yaml"), "--dir", string(dir))...)
			}
			gone := rows("SELECT min(id) FROM contacts WHERE email IS NOT NULL")[0]
			others := func() []string {
				return rows(fmt.Sprintf(`SELECT count(*), md5(string_agg(c::VARCHAR, '|' ORDER BY id)) FROM (SELECT id, role, email, name, updated_at, custom_attributes, _hash
					FROM contacts_raw WHERE id <> '%s') c UNION ALL SELECT count(*), count(DISTINCT id)::VARCHAR FROM contact_activities`, gone))
			}
			before := others()
			if strings.HasPrefix(before[0], "0|") {
				t.Fatalf("the old warehouse has %v", before)
			}
			run("runs").requireSuccess()
			run("erase", gone, "--yes").requireSuccess()
			if after := others(); strings.Join(after, " ") != strings.Join(before, " ") {
				t.Errorf("the other contacts, and the activities, are %v, were %v", after, before)
			}
			if left := rows(fmt.Sprintf("SELECT count(*), count(email) FROM contacts_raw WHERE id = '%s'", gone)); left[0] != "1|0" {
				t.Errorf("of whom was forgotten: %v", left)
			}
			if consistent, err := lakecheck.Consistent(t.Context(), dir); err != nil || !consistent {
				t.Errorf("file and lake are of one moment: %t, %v", consistent, err)
			}
			mark := filepath.Join(dir.State(), "format")
			if err := os.WriteFile(mark, []byte("aqueduck warehouse 2\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			if p := run("erase", gone, "--yes"); p.exitCode() != 3 || !strings.Contains(p.outputText(), "another version of the program made this warehouse") {
				t.Errorf("a warehouse of a program to come: exit %d\n%s", p.exitCode(), p.outputText())
			}
		})
	}
}
