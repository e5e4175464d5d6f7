//go:build worker && mirror

package cli

import (
	"path/filepath"
	"strings"
)

// mirrorOfFleet is the mirror of all workspaces of a fleet: one location, and one catalog, as machines share one in Postgres.
func mirrorOfFleet(home string) string {
	return ", mirror: {location: \"s3://bucket/lake\", catalog: \"sqlite:" + filepath.Join(home, "catalog.db") + "\"}"
}

// compareMirror takes the file of a workspace on another machine, and compares all tables of the mirror with it.
func (f *workerFleet) compareMirror(name string) {
	f.t.Helper()
	env := append([]string{"MACHINE=" + filepath.Join(f.home, "reader"), "TOKEN=" + tokenOf(0), "AQUEDUCK_WORKSPACE=" + name}, f.settings...)
	for _, args := range [][]string{{"pull"}, {"verify", "--lake", "-o", "csv"}} {
		p := startProcess(f.t, "aqueduck", env, append(args, "-f", filepath.Join(f.home, "pipelines.yaml"))...)
		if <-p.ended; p.err != nil || args[0] == "verify" && !strings.Contains(p.outputText(), name+",contacts,") {
			f.t.Errorf("%s of %s: %v\n%s", args[0], name, p.err, p.outputText())
		}
	}
}
