package duck

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed functions.txt
var functionList string

// functionRules say which functions and views users' SQL may use, and why not the others.
type functionRules struct {
	allowed map[string]bool   // by kind and name
	refused map[string]string // the reason, by kind and name; a name that ends in ... stands for all names with that beginning
}

// parseFunctionRules reads functions.txt.
func parseFunctionRules(text string) functionRules {
	v := functionRules{map[string]bool{}, map[string]string{}}
	for line := range strings.Lines(text) {
		line, reason, _ := strings.Cut(strings.TrimSpace(line), " ## ")
		words := strings.Fields(line)
		if len(words) < 3 || words[0] == "#" {
			continue
		}
		for _, name := range words[2:] {
			key := words[1] + " " + strings.ToLower(name)
			if words[0] == "allow" {
				v.allowed[key] = true
			} else {
				v.refused[key] = reason
			}
		}
	}
	return v
}

// defaultRules are the rules of functions.txt, which is parsed once.
var defaultRules = sync.OnceValue(func() functionRules { return parseFunctionRules(functionList) })

// ruleFor reports whether a name of a kind is allowed, and else the reason; known is false for a name that no line has.
func (v functionRules) ruleFor(kind, name string) (reason string, allowed, known bool) {
	key := kind + " " + strings.ToLower(name)
	if v.allowed[key] {
		return "", true, true
	}
	if reason, ok := v.refused[key]; ok {
		return reason, false, true
	}
	for end := len(key); end > len(kind); end-- {
		family := key[:end] + "..."
		if v.allowed[family] {
			return "", true, true
		}
		if reason, ok := v.refused[family]; ok {
			return reason, false, true
		}
	}
	return "", false, false
}
