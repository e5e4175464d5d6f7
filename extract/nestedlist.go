package extract

import "aqueduck/schemas"

// nestedList says where a record has a list that the API cuts short, and the address of the complete list.
type nestedList struct {
	from  []string // path of the list
	count []string // path of its total count
	more  []string // path of the flag that there are more
	rest  []string // path of its address
}

func nestedLists(s *schemas.Stream) []nestedList {
	var lists []nestedList
	for _, c := range s.Children {
		if c.Rest == nil || c.Within != "" || len(c.From) == 0 {
			continue
		}
		beside := c.From[: len(c.From)-1 : len(c.From)-1]
		count := c.Count
		if count == nil {
			count = append(beside, "total_count")
		}
		lists = append(lists, nestedList{from: c.From, count: count, more: append(beside, "has_more"), rest: c.Rest})
	}
	return lists
}
