package shelf

type width int

// String is not exported: nobody outside can name its type.
func (w width) String() string {
	switch {
	case w > 100:
		return "wide"
	default:
		return "narrow"
	}
}
