// Package population draws the events of an emulated workspace before hour 0, and later events that no request causes, from the seed
// alone. It gives events and the facts of them, and works out nothing that is served.
package population
