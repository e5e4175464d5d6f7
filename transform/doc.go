// Package transform turns records, as the API sends them, into Arrow batches: one for the table of the stream, one for
// each of its child tables.
//
// The files are layers. table.go has the tables of a stream, and what a batch is. policy.go and masking.go are hash and drop. tree.go
// is the compiled form of a stream, with the cells of the current record; compile.go builds it. recordtext.go has the text of that
// record. masker.go and convert.go make values from it; extra.go, fill.go and reader.go (with list.go and places.go) put them into
// cells. complete.go fills the columns that are no fields. emitter.go writes the rows into the columns of output.go and vector.go.
// decoder.go joins all of them. maskstored.go masks texts that are stored already, as a reading would.
package transform
