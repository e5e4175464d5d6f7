// Package oracle works out the truth of an emulated workspace from the log of its events, apart from what serves it: it imports the
// events and nothing else. What is served is worked out a second time here, by other means, on purpose: where both agree, neither has
// copied from the other.
package oracle
