// Package maskrule finds the stored places that the names of hash and drop mean, as rules, and combines these rules.
//
// names.go says which paths of a record a name means, and paths.go how such a path meets that of a table or a column. find.go makes rules
// of it. rules.go leaves out what other rules cover, and puts the rest in the order in which the loader applies it.
package maskrule
