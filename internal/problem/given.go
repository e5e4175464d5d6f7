package problem

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// CLIFlags are the flags of the command line that name the configuration and the warehouse, ready to copy; "" when there are none. A command in a
// next step repeats them: without them it would use another configuration and another warehouse.
type CLIFlags string

// JoinCLIFlags joins flags and their values, quoted for a shell.
func JoinCLIFlags(flags ...string) CLIFlags {
	words := make([]string, len(flags))
	for i, f := range flags {
		words[i] = ShellQuote(f)
	}
	return CLIFlags(strings.Join(words, " "))
}

// ShellQuote quotes a word for a shell, where it needs that.
func ShellQuote(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

var (
	plainWord = regexp.MustCompile(`^[\w./:@%+=,-]+$`)
	ownVerb   = regexp.MustCompile(`\baqueduck (help [a-z-]+|state (show|rewind|reset)|streams (new|try)|runs show|schedule next|` +
		`(` + strings.Join(ownCommands, "|") + `)\b)`)
)

// ownCommands are the commands that take flags of the configuration and the warehouse.
var ownCommands = []string{"check", "doctor", "emulate", "erase", "init", "mirror", "plan", "pull", "query", "rollback", "runs", "schedule", "schema",
	"serve", "state", "status", "streams", "sync", "top", "verify", "worker"}

// Append adds the flags to every command of this program in a next step, but not to other words after the program's name, unless the step names a directory already.
// The placeholder DIR is none.
func (g CLIFlags) Append(next string) string {
	if g == "" || strings.Contains(next, " "+string(g)) || strings.Contains(strings.ReplaceAll(next, " --dir DIR", ""), " --dir ") {
		return next
	}
	return ownVerb.ReplaceAllStringFunc(next, func(command string) string {
		if strings.HasPrefix(command, "aqueduck help ") || command == "aqueduck init" {
			return command // the pages of help are the same for every warehouse; init writes one file, which the step names itself
		}
		return command + " " + string(g)
	})
}

// Line is the whole message in one line, for a warning: what happened, and the next step with the flags of the command line.
func (p *Problem) Line(given CLIFlags) string {
	return p.Error() + "; next: " + given.Append(p.Next)
}

// NameVariable adds the variable to a problem with a command line or a configuration that names its value: a variable is easily forgotten. flag is the
// flag that it sets.
func (p *Problem) NameVariable(name, flag, value string) {
	text := p.Error()
	if p.Class != "usage" && p.Class != "config" || strings.Contains(text, name) || !namesWord(text, value) {
		return
	}
	p.What, p.Err = fmt.Sprintf("%s=%s (variable of %s): %s", name, value, flag, text), nil
}

// namesWord reports whether a text has a word or path that is no part of a longer one.
func namesWord(text, word string) bool {
	for at := 0; ; at++ {
		next := strings.Index(text[at:], word)
		if next < 0 {
			return false
		}
		at += next
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[at+len(word):])
		part := func(r rune) bool {
			return r == '/' || r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)
		}
		if !part(before) && !part(after) {
			return true
		}
	}
}
