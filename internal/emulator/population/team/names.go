package team

import "strings"

func firstName(name string) string {
	first, _, _ := strings.Cut(name, " ")
	return first
}

// mailbox returns a name as the first part of an address.
func mailbox(name string) string {
	return strings.NewReplacer(" ", ".", "ü", "ue", "ö", "oe", "ä", "ae", "é", "e", "è", "e", "í", "i", "á", "a", "ó", "o", "ñ", "n", "'", "").Replace(strings.ToLower(name))
}
