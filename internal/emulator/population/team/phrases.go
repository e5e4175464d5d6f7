package team

// topic is what conversations are about.
type topic struct {
	name   string
	team   int
	weight float64 // share of the conversations, in percent
}

// topics have the same places as their texts, and as their tags in tagNames.
var topics = []topic{
	{"Login", support, 22}, {"Invoice", billing, 15}, {"Import", onboarding, 11}, {"Bug", support, 9}, {"Integration", support, 8}, {"Plan change", billing, 7},
	{"Permissions", support, 6}, {"Getting started", onboarding, 6}, {"Refund", billing, 5}, {"Performance", support, 4}, {"Cancellation", billing, 4}, {"Data protection", support, 3},
}

// language has the texts of one language. {n} is a number, {me} the teammate's first name and {name} the customer's.
type language struct {
	topics [12]exchange

	human   []string // the customer asks for a teammate
	details []string // a teammate asks for details
	given   []string // the customer gives them
	nudge   []string // the customer asks again
	thanks  []string // the customer is content
	closing []string // a teammate's last words
	again   []string // the customer comes back
	waits   []string // a teammate says that it takes longer
	welcome []string // the workspace begins
	curious []string // the customer answers that
	good    []string // remarks on a good rating
	bad     []string // remarks on a bad one
}

// exchange has the texts of one topic.
type exchange struct {
	title  string
	ask    []string // the customer's first message
	more   []string // what the customer adds
	help   []string // what the AI agent answers
	answer []string // what a teammate answers
}
