package oracletest

// streamTruth is one stream of the oracle, and the query that must return the same rows.
type streamTruth struct {
	stream, relation string
	columns          []string // of the oracle; after a colon follows the column here, where its name differs
}
