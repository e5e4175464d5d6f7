package envelope

// NestedList says where a record has a list that the API cuts short, and the address of the complete list.
type NestedList struct {
	From  []string // path of the list
	Count []string // path of its total count
	More  []string // path of the flag that there are more
	Rest  []string // path of its address
}

// nestedCap is the number of items at which the API cuts a nested list, without always saying so (T44).
const nestedCap = 10
