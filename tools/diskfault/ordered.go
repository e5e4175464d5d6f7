package diskfault

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// CheckOrder returns an error for a file that got a name which other code looks for before its content was durable. It also fails when the
// name was not durable before the link was swapped, or before the end. Names that the next start discards are exempt.
func (j *Journal) CheckOrder() error {
	var problems []error
	all := j.planDurability(len(j.ops))
	for i, o := range j.ops {
		if o.Name != "rename" || isScratchName(o.to) {
			continue
		}
		before := j.planDurability(i)
		for k, earlier := range before.ops {
			if (earlier.Name == "write" || earlier.Name == "truncate") && before.of[k] == all.of[i] && !before.durable[k] {
				problems = append(problems, fmt.Errorf("%s before what %s did was durable", o.Call, earlier.Call))
			}
		}
		if !all.durable[i] {
			problems = append(problems, fmt.Errorf("%s was never made durable", o.Call))
		}
		if filepath.Base(o.to) != "warehouse.duckdb" {
			continue
		}
		for k, earlier := range before.ops {
			if earlier.Name == "rename" && !isScratchName(earlier.to) && !before.durable[k] {
				problems = append(problems, fmt.Errorf("the link was swapped before %s was durable", earlier.Call))
			}
		}
	}
	return errors.Join(problems...)
}

// isScratchName reports whether a name is one that no code relies on after a crash.
func isScratchName(path string) bool {
	name := strings.TrimPrefix(path, ".aqueduck/")
	return strings.HasPrefix(name, "new-") || strings.HasPrefix(name, "trash-") || strings.HasPrefix(name, "tmp/") || strings.HasPrefix(name, "runs/") || name == "run.json"
}
