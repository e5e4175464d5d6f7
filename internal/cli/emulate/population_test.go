package emulate

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aqueduck/internal/emulator"
	"aqueduck/load/layout"
)

// The first run chooses the population. A warehouse keeps it, and one of an earlier build, whose file names none, stays odd.
func TestAWarehouseKeepsItsPopulation(t *testing.T) {
	t.Parallel()
	for what, row := range map[string]struct{ file, variable, population, refused string }{
		"the first run":           {population: emulator.Team},
		"one that is chosen":      {variable: "odd", population: emulator.Odd},
		"no population":           {variable: "Team", refused: `EMULATOR_POPULATION="Team" is neither team nor odd`},
		"a later run":             {file: `{"seed":1,"population":"team","hours":6}`, variable: "odd", population: emulator.Team},
		"one of an earlier build": {file: `{"seed":1,"hours":6}`, population: ""},
	} {
		dir := layout.Dir(t.TempDir())
		if row.file != "" {
			if err := os.MkdirAll(filepath.Dir(dir.EmulatorFile()), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(dir.EmulatorFile(), []byte(row.file), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		life, _, err := readLife(func(name string) (string, bool) { return row.variable, name == "EMULATOR_POPULATION" }, dir)
		switch {
		case row.refused != "":
			if err == nil || !strings.Contains(err.Error(), row.refused) {
				t.Errorf("%s: %v", what, err)
			}
		case err != nil || life.Population != row.population:
			t.Errorf("%s: population %q, %v", what, life.Population, err)
		}
	}
	odd, team := emulator.New(emulator.Config{Contacts: 20}), emulator.New(emulator.Config{Contacts: 20, Population: emulator.Team})
	if len(odd.Oracle("teams")) != 2 || len(team.Oracle("teams")) != 3 {
		t.Errorf("a workspace without a population has %d teams, one of team %d", len(odd.Oracle("teams")), len(team.Oracle("teams")))
	}
}
