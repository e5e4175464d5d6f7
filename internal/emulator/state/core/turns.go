package core

import "aqueduck/internal/emulator/population"

// SpreadTurns has as many things happen in an hour as so many records of hour 0 see, at least one.
func (w *Core) SpreadTurns(base int64, records int, turn func(at int64)) {
	turns := max(1, int(w.K().HourlyChange()*float64(records)))
	for i := range turns {
		turn(base + int64(i)*population.Busy/int64(turns))
	}
}
