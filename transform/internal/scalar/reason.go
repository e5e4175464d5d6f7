package scalar

// Reasons for which a text is not a value of a type.
const (
	ReasonType  = "type"  // it is of another type
	ReasonRange = "range" // it is outside of what the type holds
)
