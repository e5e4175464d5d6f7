package main

import (
	"regexp"
	"strings"
)

// makeManual makes the manual page from the --help of the program, of each command and of each topic.
func makeManual(ask func(args ...string) (string, error)) (string, error) {
	whole, err := ask("--help")
	if err != nil {
		return "", err
	}
	var page strings.Builder
	page.WriteString(".TH AQUEDUCK 1\n.SH NAME\naqueduck \\- bring a customer-messaging workspace into a DuckDB file and Parquet files\n")
	section := func(head, text string) { page.WriteString(head + "\n.nf\n" + escapeRoff(text) + ".fi\n") }
	section(".SH DESCRIPTION", whole)
	page.WriteString(".SH COMMANDS\n")
	for _, command := range listedWords(whole, "Available Commands:") {
		said, err := ask(command, "--help")
		if err != nil {
			return "", err
		}
		section(".SS aqueduck "+command, trimGlobalHelp(said))
		if command == "help" || command == "completion" {
			continue
		}
		for _, below := range listedWords(said, "Available Commands:") {
			if said, err = ask(command, below, "--help"); err != nil {
				return "", err
			}
			section(".SS aqueduck "+command+" "+below, trimGlobalHelp(said))
		}
	}
	for _, topic := range [][2]string{{".SH EXIT STATUS", "exit-codes"}, {".SH ENVIRONMENT", "env"}} {
		said, err := ask("help", topic[1])
		if err != nil {
			return "", err
		}
		section(topic[0], said)
	}
	return page.String(), nil
}

// listedWords returns the first words of the lines below a heading.
func listedWords(help, heading string) (words []string) {
	_, below, _ := strings.Cut(help, heading+"\n")
	block, _, _ := strings.Cut(below, "\n\n")
	for line := range strings.Lines(block) {
		if f := strings.Fields(line); len(f) > 0 {
			words = append(words, f[0])
		}
	}
	return words
}

// repeated matches the part that the help of every command repeats.
var repeated = regexp.MustCompile(`(?s)\nGlobal Flags:\n.*?(\n\n|$)`)

// trimGlobalHelp removes the global flags from a command's help.
func trimGlobalHelp(help string) string { return repeated.ReplaceAllString(help, "\n") }

// escapeRoff escapes text, so that roff takes nothing in it for an instruction.
func escapeRoff(text string) string {
	var page strings.Builder
	for line := range strings.Lines(strings.TrimSpace(text) + "\n") {
		line = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(line)
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			line = `\&` + line
		}
		page.WriteString(line)
	}
	return page.String()
}
