package aqueduck

// emulatorAllowed is allowed of the emulator's packages: each imports only what stands above it here.
var emulatorAllowed = map[string][]string{
	"internal/emulator/event":      {},
	"internal/emulator/jsontext":   {"internal/emulator/event"},
	"internal/emulator/population": {"internal/emulator/event", "internal/emulator/jsontext"},
	"internal/emulator":            {"internal/emulator/event", "internal/emulator/jsontext", "internal/emulator/population"},
}
