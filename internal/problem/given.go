package problem

import (
	"regexp"
	"strings"
)

// CLIFlags is what a command line named its configuration and its warehouse with, as flags to copy; "": neither. Without them, a
// command that somebody is told to run would read another configuration and write another warehouse.
type CLIFlags string

// JoinCLIFlags joins flags with their values, quoted as a shell needs it.
func JoinCLIFlags(flags ...string) CLIFlags {
	words := make([]string, len(flags))
	for i, f := range flags {
		words[i] = ShellQuote(f)
	}
	return CLIFlags(strings.Join(words, " "))
}

// ShellQuote is a word as a shell takes it.
func ShellQuote(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

var (
	plainWord = regexp.MustCompile(`^[\w./:@%+=,-]+$`)
	ownVerb   = regexp.MustCompile(`\baqueduck [a-z]+`)
)

// Append is a next step whose commands of this program have the flags.
func (g CLIFlags) Append(next string) string {
	if g == "" || strings.Contains(next, " "+string(g)) {
		return next
	}
	return ownVerb.ReplaceAllStringFunc(next, func(command string) string { return command + " " + string(g) })
}
