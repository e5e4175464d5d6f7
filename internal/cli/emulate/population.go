package emulate

import "aqueduck/internal/emulator"

// defaultPopulation is the population of a workspace that names none.
const defaultPopulation = emulator.Team

func isPopulation(name string) bool { return name == emulator.Odd || name == emulator.Team }
