package problem

import (
	"regexp"
	"strings"
)

// Given is what a command line named its configuration and its warehouse with, as flags to copy; "": neither. Without them, a
// command that somebody is told to run would read another configuration and write another warehouse.
type Given string

// GivenBy joins flags with their values, quoted as a shell needs it.
func GivenBy(flags ...string) Given {
	words := make([]string, len(flags))
	for i, f := range flags {
		words[i] = Quoted(f)
	}
	return Given(strings.Join(words, " "))
}

// Quoted is a word as a shell takes it.
func Quoted(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

var (
	plainWord = regexp.MustCompile(`^[\w./:@%+=,-]+$`)
	ownVerb   = regexp.MustCompile(`\baqueduck [a-z]+`)
)

// To is a next step whose commands of this program have the flags.
func (g Given) To(next string) string {
	if g == "" || strings.Contains(next, " "+string(g)) {
		return next
	}
	return ownVerb.ReplaceAllStringFunc(next, func(command string) string { return command + " " + string(g) })
}
