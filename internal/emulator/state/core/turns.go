package core

import "aqueduck/internal/emulator/population"

// SpreadTurns calls turn as often as an hour brings changes to that many records of hour 0, at least once, spread over the busy minutes.
func (w *Core) SpreadTurns(base int64, records int, turn func(at int64)) {
	turns := max(1, int(w.K().HourlyChange()*float64(records)))
	for i := range turns {
		w.Happen(base+int64(i)*population.Busy/int64(turns), turn)
	}
}
