package clause

import (
	"regexp"
	"slices"
	"strings"
)

var identifier = regexp.MustCompile(`^[a-z0-9_]+`)

// ReferencedNames gives the names that follow a prefix in a query.
func ReferencedNames(query, prefix string) (names []string) {
	for _, rest := range strings.Split(query, prefix)[1:] {
		if name := identifier.FindString(rest); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
