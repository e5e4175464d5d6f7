package scalar

// Why a text is not the value that it is read as.
const (
	ReasonType  = "type"  // it is of another type
	ReasonRange = "range" // it is outside of what the type holds
)
