package emulate

import "aqueduck/internal/emulator"

// defaultPopulation is the population of a workspace that names none.
const defaultPopulation = emulator.Team

func isPopulation(name string) bool { return name == emulator.Odd || name == emulator.Team }

// OfficeHours returns when the team of the embedded workspace works, as pipelines.yaml has it: the hours of its weekdays in UTC, and the weekdays without work.
func OfficeHours() (weekdays string, holidays []string) { return emulator.OfficeHours(embeddedEpoch) }
