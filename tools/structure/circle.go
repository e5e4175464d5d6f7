package structure

import (
	"go/token"
	"path/filepath"
	"slices"
)

// Circle is a set of files of one package that all need each other, directly or through others.
type Circle struct {
	Files []string
	Lines int // lines of those files, without tests
}

// LargestCircle returns the largest circle. It is empty where the files can be read one after the other.
func (p *Package) LargestCircle() Circle {
	circle := Circle{Files: largestCircle(p.fileUses())}
	for _, f := range p.files {
		if slices.Contains(circle.Files, p.fileName(f.Pos())) {
			circle.Lines += p.linesOf(f)
		}
	}
	return circle
}

// fileName returns the name of a position's file.
func (p *Package) fileName(at token.Pos) string {
	return filepath.Base(p.fset.Position(at).Filename)
}

// fileUses returns for each file which other files of its package it needs: their functions, methods, fields, types, variables or constants.
func (p *Package) fileUses() map[string]map[string]bool {
	needs := map[string]map[string]bool{}
	for _, f := range p.files {
		needs[p.fileName(f.Pos())] = map[string]bool{}
	}
	for id, obj := range p.info.Uses {
		if obj.Pkg() == nil || !obj.Pos().IsValid() {
			continue
		}
		from, to := p.fileName(id.Pos()), p.fileName(obj.Pos())
		// A field of another package may be declared in a file of the same name.
		sameDir := filepath.Dir(p.fset.Position(obj.Pos()).Filename) == filepath.Dir(p.fset.Position(id.Pos()).Filename)
		if _, ours := needs[to]; ours && sameDir && from != to {
			needs[from][to] = true
		}
	}
	return needs
}

// largestCircle returns the largest set of files that all need each other, directly or through others.
func largestCircle(needs map[string]map[string]bool) []string {
	reach := map[string]map[string]bool{}
	for from := range needs {
		reach[from] = map[string]bool{}
		for next := []string{from}; len(next) > 0; next = next[1:] {
			for to := range needs[next[0]] {
				if !reach[from][to] {
					reach[from][to] = true
					next = append(next, to)
				}
			}
		}
	}
	var largest []string
	for from := range needs {
		var circle []string
		for to := range reach[from] {
			if reach[to][from] {
				circle = append(circle, to)
			}
		}
		slices.Sort(circle)
		if len(circle) > len(largest) || len(circle) == len(largest) && slices.Compare(circle, largest) < 0 {
			largest = circle
		}
	}
	return largest
}
