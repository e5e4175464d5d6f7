package grammar

import (
	"fmt"
	"strings"
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
	hintNear = "did you mean"
	hintAll  = "known: "
)

// DidYouMean is the hint for an unknown word: the nearest candidate, or all candidates when they are few.
func DidYouMean(word string, candidates []string) string {
	const few = 8
	if near := Nearest(word, candidates); near != "" {
		return fmt.Sprintf(hintNear+" %q?", near)
	}
	if len(candidates) > 0 && len(candidates) <= few {
		return hintAll + strings.Join(candidates, ", ")
	}
	return ""
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
