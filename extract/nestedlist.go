package extract

import (
	"aqueduck/extract/internal/envelope"
	"aqueduck/schemas"
)

func nestedLists(s *schemas.Stream) []envelope.NestedList {
	var lists []envelope.NestedList
	for _, c := range s.Children {
		if c.Rest == nil || c.Within != "" || len(c.From) == 0 {
			continue
		}
		beside := c.From[: len(c.From)-1 : len(c.From)-1]
		count := c.Count
		if count == nil {
			count = append(beside, "total_count")
		}
		lists = append(lists, envelope.NestedList{From: c.From, Count: count, More: append(beside, "has_more"), Rest: c.Rest})
	}
	return lists
}
