// Package personal takes personal data out of texts from outside, such as the messages of an API, before anything stores them.
package personal

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Removed stands in a text for what was taken out.
const Removed = "[redacted]"

// phone is a telephone number as people write it: with + or 00 and the country, with the area in parentheses, or in three groups. A
// number of digits alone may as well be an id.
var phone = regexp.MustCompile(`(^|[^\w-])(?:(?:\+|%2B|00)[0-9](?:[ ()./-]{0,2}[0-9]){6,14}|\([0-9]{2,5}\)[ -]?[0-9](?:[ ./-]?[0-9]){4,9}|[0-9]{3}[ .-][0-9]{3}[ .-][0-9]{4})($|[^\w-])`)

// name is a quoted text that names a field or a value of the API, which says nothing of a person.
var name = regexp.MustCompile(`^[a-z0-9_]*[a-zA-Z0-9_.:/\[\]-]*$`)

// quotes are the pairs of quotation marks.
var quotes = map[rune]rune{'"': '"', '\'': '\'', '`': '`', '“': '”', '‘': '’', '«': '»', '„': '“'}

// HideShapes takes out what the form of a text shows to be personal: telephone numbers, and quoted values that are no names of fields.
func HideShapes(text string) string {
	return phone.ReplaceAllString(hideQuoted(text), "${1}"+Removed+"${2}")
}

// hideQuoted takes out quoted values. A mark between two letters is an apostrophe.
func hideQuoted(text string) string {
	var out strings.Builder
	runes := []rune(text)
	inWord := func(i int) bool {
		return i >= 0 && i < len(runes) && (unicode.IsLetter(runes[i]) || unicode.IsDigit(runes[i]))
	}
	for i := 0; i < len(runes); i++ {
		out.WriteRune(runes[i])
		closing, opens := quotes[runes[i]]
		if !opens || inWord(i-1) {
			continue
		}
		end := i + 1
		for end < len(runes) && (runes[end] != closing || inWord(end-1) && inWord(end+1)) {
			end++
		}
		if end == len(runes) {
			continue
		}
		if value := string(runes[i+1 : end]); name.MatchString(value) && (value == "" || !unicode.IsUpper([]rune(value)[0])) {
			out.WriteString(value)
		} else {
			out.WriteString(Removed)
		}
		out.WriteRune(closing)
		i = end
	}
	return out.String()
}

// longestPhrase is the largest number of words in a value that is looked for, shortestPhrase the smallest number of letters.
const (
	longestPhrase  = 6
	shortestPhrase = 4
)

// word is a run of letters and digits.
var word = regexp.MustCompile(`[\pL\pM\pN]+`)

// phrase is a part of a text, from the beginning of a word to the end of one.
type phrase struct{ from, to int }

// HideKnown takes out the phrases of a text that known returns: the values among them that belong to persons. A value of several words counts
// in any case. A value of one word counts as it is written, and not if it is in small letters: each word of a message is somebody's name.
func HideKnown(text string, known func(phrases []string) ([]string, error)) (string, error) {
	places := phrasesOf(text)
	var asked []string
	for _, p := range places {
		asked = append(asked, text[p.from:p.to])
	}
	slices.Sort(asked)
	if asked = slices.Compact(asked); asked == nil {
		return text, nil
	}
	values, err := known(asked)
	if err != nil || len(values) == 0 {
		return text, err
	}
	slices.SortStableFunc(places, func(a, b phrase) int { return (b.to - b.from) - (a.to - a.from) })
	var hidden []phrase
	for _, p := range places {
		overlaps := slices.ContainsFunc(hidden, func(h phrase) bool { return p.from < h.to && h.from < p.to })
		if !overlaps && isKnown(text[p.from:p.to], values) {
			hidden = append(hidden, p)
		}
	}
	slices.SortFunc(hidden, func(a, b phrase) int { return b.from - a.from })
	for _, p := range hidden {
		text = text[:p.from] + Removed + text[p.to:]
	}
	return text, nil
}

func isKnown(found string, values []string) bool {
	several := len(word.FindAllString(found, 2)) > 1
	return slices.ContainsFunc(values, func(v string) bool { return v == found || several && strings.EqualFold(v, found) })
}

// phrasesOf are the phrases that may be a value. A dot after the last word may belong to it.
func phrasesOf(text string) (all []phrase) {
	words := word.FindAllStringIndex(text, -1)
	for i, first := range words {
		for j := i; j < len(words) && j < i+longestPhrase; j++ {
			p := phrase{first[0], words[j][1]}
			if p.to-p.from < shortestPhrase || j == i && !strings.ContainsFunc(text[p.from:p.to], func(r rune) bool { return !unicode.IsLower(r) }) {
				continue
			}
			all = append(all, p)
			if strings.HasPrefix(text[p.to:], ".") && j > i {
				all = append(all, phrase{p.from, p.to + 1})
			}
		}
	}
	return all
}
