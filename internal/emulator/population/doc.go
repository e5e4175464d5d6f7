// Package population draws what happened in an emulated workspace before hour 0, and the later details that no caller gives: all of it is a
// function of the seed. It returns events and their facts, and derives no served state.
package population
