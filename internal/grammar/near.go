package grammar

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Nearest is the candidate that a misspelled word most likely means; "" when none is similar.
func Nearest(word string, candidates []string) string {
	best, bestDistance := "", max(1, len([]rune(word))/3)+1
	for _, c := range candidates {
		if d := editDistance(strings.ToLower(word), strings.ToLower(c)); d < bestDistance {
			best, bestDistance = c, d
		}
	}
	return best
}

// The beginnings of hints that name candidates.
const (
	hintNear  = "did you mean"
	hintAll   = "known: "
	hintThree = "the nearest are "
)

// DidYouMean is the hint for an unknown word: the candidate that it misspells, all candidates when they are few, or else the three nearest,
// where one shares a word with it. Otherwise it is "": three names that have nothing in common with the word would mislead.
func DidYouMean(word string, candidates []string) string {
	const few, some, most = 8, 16, 3
	if near := Nearest(word, candidates); near != "" {
		return fmt.Sprintf(hintNear+" %q?", near)
	}
	switch {
	case len(candidates) == 0:
		return ""
	case len(candidates) <= few:
		return hintAll + strings.Join(candidates, ", ")
	}
	ranked := rankNear(word, candidates)
	switch {
	case sharedWords(word, ranked[0]) > 0:
	case len(candidates) <= some:
		return hintAll + strings.Join(candidates, ", ")
	default:
		return ""
	}
	return hintThree + strings.Join(ranked[:most], ", ")
}

// ChooseFrom is the next step after an unknown name: the one that it misspells, all names when they are few, or the three nearest and the command
// that lists them all.
func ChooseFrom(word string, candidates []string, list string) string {
	const few, most = 8, 3
	switch near := Nearest(word, candidates); {
	case near != "":
		return fmt.Sprintf(hintNear+" %q?", near)
	case len(candidates) <= few:
		return "choose from " + strings.Join(candidates, ", ")
	}
	return hintThree + strings.Join(rankNear(word, candidates)[:most], ", ") + "; all of them: " + list
}

// rankNear sorts candidates by what they have in common with a word.
func rankNear(word string, candidates []string) []string {
	return slices.SortedStableFunc(slices.Values(candidates), func(a, b string) int {
		return cmp.Or(cmp.Compare(sharedWords(word, b), sharedWords(word, a)), cmp.Compare(editDistance(word, a), editDistance(word, b)))
	})
}

// BeforeStep is the hint of DidYouMean as the beginning of a next step, which goes on with where all candidates are listed.
func BeforeStep(word string, candidates []string) string {
	if hint := DidYouMean(word, candidates); hint != "" {
		return hint + "; "
	}
	return ""
}

// sharedWords counts the words of a name that another name begins a word with: company shares one with companies_by_size, as its beginning.
func sharedWords(name, other string) (n int) {
	split := func(text string) []string {
		return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	}
	for _, word := range split(name) {
		stem := strings.TrimRight(word, "sy")
		if len(stem) > 2 && slices.ContainsFunc(split(other), func(w string) bool { return strings.HasPrefix(w, stem) }) {
			n++
		}
	}
	return n
}

// editDistance is the number of letters to add, remove, change or swap with a neighbour to get from a to b.
func editDistance(a, b string) int {
	x, y := []rune(a), []rune(b)
	before, last, next := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(x); i++ {
		next[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			next[j] = min(last[j]+1, next[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				next[j] = min(next[j], before[j-2]+1)
			}
		}
		before, last, next = last, next, before
	}
	return last[len(y)]
}
