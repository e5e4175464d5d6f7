// Package transform turns records, as the API sends them, into Arrow batches: one for the table of the stream, one for
// each of its child tables.
//
// Its files stand on each other in layers. table.go says which tables a stream has, and what a batch is; policy.go, masking.go and
// hiding.go what hash and drop do to a record. tree.go is a stream as a plan: the tree of its fields, with the cells of the record at
// hand; compile.go makes it. recordtext.go holds the text of that record, masker.go and convert.go make values of it, extra.go, fill.go
// and reader.go (with list.go and places.go) put them into cells. complete.go fills what no field fills, emitter.go writes rows into
// the columns of output.go and vector.go, and decoder.go joins all of them.
package transform
