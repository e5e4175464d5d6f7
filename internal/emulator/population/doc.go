// Package population draws what happened in an emulated workspace before hour 0, and what happens later that nobody says: all of it is
// a function of the seed. It gives events and the facts of them, and works out nothing that is served.
package population
