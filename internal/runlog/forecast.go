package runlog

import "time"

// Forecast estimates how much of a run is done and when it ends, from the snapshots of the run so far. Its unit of work is a request: those sent,
// those that each stream still expects, and the pace of the last half of the run.
//
// What it says is monotone: the percentage never falls and the time left never rises. When the work turns out to be longer than the time that it
// has told, it says that more is left, until that time is true again.
type Forecast struct {
	paces   []pacePoint
	left    time.Duration // as told last; 0: it has told none
	percent float64       // as told last
}

// pacePoint is how many requests a run had sent at a time.
type pacePoint struct {
	at   time.Time
	sent int64
}

// firstForecast is how long a run takes before there is a forecast: the pace of its beginning says little.
const firstForecast = time.Minute

// Apply sets Done, Left and Least of a snapshot, 0 where they are unknown. publish is how long the last publish may take; 0: unknown.
func (f *Forecast) Apply(r *Running, publish time.Duration) {
	took := r.At.Sub(r.Started)
	left := f.timeLeft(r, took)
	r.Left, r.Least, r.Done = 0, f.left, f.percent
	if left < 0 {
		return
	}
	left = max(left+publish, time.Second)
	longer := f.left > 0 && left > f.left+f.left/slack
	if !longer {
		if f.left == 0 || left < f.left {
			f.left = left
		}
		left = f.left
		r.Left, r.Least = left, 0
	}
	f.percent = max(f.percent, 100*float64(took)/float64(took+left))
	r.Done = f.percent
}

// slack is the share, as one part of so many, by which the estimate may exceed the time that was told last.
const slack = 8

// timeLeft estimates the time for the requests that are still to send; below 0 when it is unknown.
func (f *Forecast) timeLeft(r *Running, took time.Duration) time.Duration {
	var sent, rest int64
	known := true
	for _, s := range r.Streams {
		sent += s.Requests
		rest += max(0, s.Expected-s.Requests)
		known = known && s.Expected > 0
	}
	if n := len(f.paces); n == 0 || r.At.Sub(f.paces[n-1].at) > took/100 {
		f.paces = append(f.paces, pacePoint{r.At, sent})
	}
	for len(f.paces) > 1 && r.At.Sub(f.paces[1].at) > max(took/2, firstForecast) {
		f.paces = f.paces[1:]
	}
	from := f.paces[0]
	switch {
	case !known || took < firstForecast:
		return -1
	case rest == 0:
		return 0
	case sent == from.sent:
		return -1
	}
	return time.Duration(float64(r.At.Sub(from.at)) / float64(sent-from.sent) * float64(rest))
}
