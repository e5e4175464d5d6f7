package oracletest

// streamTruth is one stream of the oracle and the relation that tells the same.
type streamTruth struct {
	stream, relation string
	columns          []string // of the oracle; what stands for it here follows after a colon, where it has another name
}
