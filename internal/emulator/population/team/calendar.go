package team

import (
	"fmt"
	"math"
	"sort"
	"time"

	"aqueduck/internal/emulator/event"
)

// The team's clock is UTC+1 all year. It works on weekdays from 8 to 18, and not on the days of Christmas and New Year.
const (
	zone    = 3600
	opens   = 8 * 3600
	shuts   = 18 * 3600
	workday = shuts - opens
	year    = 365 * event.Day
)

// dayOf returns the number of the team's day at a time, and the second of that day.
func dayOf(t int64) (day, second int64) {
	local := t + zone
	return local / event.Day, local % event.Day
}

// dateOf returns the date of a day.
func dateOf(day int64) time.Time { return time.Unix(day*event.Day, 0).UTC() }

// isWorkday reports whether the team works on a day.
func isWorkday(day int64) bool {
	d := dateOf(day)
	_, month, n := d.Date()
	switch {
	case d.Weekday() == time.Saturday, d.Weekday() == time.Sunday:
		return false
	case month == time.December && n >= 24 && n <= 26, month == time.January && n == 1:
		return false
	}
	return true
}

// OfficeHours returns the hours of a weekday in UTC, as pipelines.yaml has them.
func OfficeHours() string {
	return fmt.Sprintf("%02d:00-%02d:00", (opens-zone)/3600, (shuts-zone)/3600)
}

// Holidays returns the weekdays without work, in the year of a time and in the year before, as pipelines.yaml has them.
func Holidays(at time.Time) (list []string) {
	for day := time.Date(at.Year()-1, 1, 1, 0, 0, 0, 0, time.UTC); day.Year() <= at.Year(); day = day.AddDate(0, 0, 1) {
		if d := day.Weekday(); d != time.Saturday && d != time.Sunday && !isWorkday(day.Unix()/event.Day) {
			list = append(list, day.Format(time.DateOnly))
		}
	}
	return list
}

// isOpen reports whether the team works at a time.
func isOpen(t int64) bool {
	day, second := dayOf(t)
	return isWorkday(day) && second >= opens && second < shuts
}

// isOnDuty reports whether somebody works at a time outside the office hours: in the evening until 22, and from 9 to 18 when the office is closed.
func isOnDuty(t int64) bool {
	day, second := dayOf(t)
	if isWorkday(day) {
		return second >= opens-3600 && second < 22*3600
	}
	return second >= 9*3600 && second < shuts
}

// officeSeconds returns how many seconds of work lie between two times.
func officeSeconds(from, to int64) (sum int64) {
	for day, last := (from+zone)/event.Day, (to+zone)/event.Day; day <= last; day++ {
		if begin := day*event.Day - zone; isWorkday(day) {
			sum += max(0, min(to, begin+shuts)-max(from, begin+opens))
		}
	}
	return sum
}

// afterOffice returns the time at which so many seconds of work have passed.
func afterOffice(from, seconds int64) int64 {
	for day := (from + zone) / event.Day; ; day++ {
		begin := day*event.Day - zone
		at := max(from, begin+opens)
		if left := begin + shuts - at; isWorkday(day) && left > seconds {
			return at + seconds
		} else if isWorkday(day) && left > 0 {
			seconds -= left
		}
	}
}

// hourShares is how many of a weekday's first messages come in each hour of the team's clock: most in office hours, with peaks at 10 and 14.
var hourShares = [24]float64{10, 7, 5, 5, 5, 10, 21, 46, 58, 88, 120, 100, 76, 90, 114, 95, 82, 64, 54, 45, 38, 31, 23, 15}

// weekdayShares begins with Sunday.
var weekdayShares = [7]float64{8.2, 16.8, 18.8, 17.9, 16.9, 14.6, 8.8}

// monthlyGrowth is how much more conversations each month brings.
const monthlyGrowth = 1.025

// dayWeight is how many conversations a day brings, beside others.
func dayWeight(day, start int64) float64 {
	d := dateOf(day)
	w := weekdayShares[d.Weekday()]
	if months := (day*event.Day - start) / (365 * event.Day / 12); months < 0 {
		w *= math.Pow(monthlyGrowth, float64(months))
	}
	switch _, month, n := d.Date(); {
	case month == time.August:
		w *= 0.78
	case month == time.December && n >= 22, month == time.January && n <= 2:
		w *= 0.45
	}
	return w
}

// Arrival returns when somebody comes for the first time, by a place among all: as conversations, more in each month, few in August, at night and at weekends.
func (s *crowd) Arrival(at int64) int64 {
	return min(s.coming.at(float64(at-(s.start-event.Span))/float64(event.Span-2*event.Day)), s.start-2*event.Day)
}

// Busy returns how much more happens in the hour of a time than in the mean of all hours of a week.
func (s *crowd) Busy(at int64) float64 {
	sum := 0.0
	for hour := range int64(7 * 24) {
		sum += hourWeight(s.start+hour*3600, s.start) / (7 * 24)
	}
	return hourWeight(at, s.start) / sum
}

// HourOfDay moves a time within its day to the hours at which most people do things.
func (s *crowd) HourOfDay(at int64) int64 {
	day, second := dayOf(at)
	all := 0.0
	for _, share := range hourShares {
		all += share
	}
	left := float64(second) / event.Day * all
	for hour, share := range hourShares {
		if left < share {
			return day*event.Day - zone + int64(hour)*3600 + int64(3600*left/share)
		}
		left -= share
	}
	return at
}

// stays is how long contacts stay that leave: half of them for less than so many seconds.
const stays = 150 * event.Day

// departing has, for steps of the places of all contacts, how many of those that came before have left. Who came a while ago has left more probably.
func (a *arrivals) departing(start int64) (sums []float64) {
	const steps = 500
	sum := 0.0
	for i := range steps {
		age := float64(start-a.at((float64(i)+0.5)/steps)) / stays
		sum += age / (1 + age)
		sums = append(sums, sum)
	}
	return sums
}

// DepartedPlace returns who among all contacts has left: of those that came lately, few.
func (s *crowd) DepartedPlace(share float64) float64 {
	step, before := sort.SearchFloat64s(s.left, share*s.left[len(s.left)-1]), 0.0
	if step > 0 {
		before = s.left[step-1]
	}
	return (float64(step) + (share*s.left[len(s.left)-1]-before)/(s.left[step]-before)) / float64(len(s.left))
}

// Stay draws when a contact came that was deleted before any list showed it, and when it was.
func (s *crowd) Stay(r *event.RNG) (created, deleted int64) {
	for range 100 {
		created = s.coming.at(r.Float64())
		if deleted = s.HourOfDay(created + event.Day + spread(r, 90*event.Day, 400*event.Day)); deleted < s.start-event.Day {
			return created, deleted
		}
	}
	created = s.start - event.Span
	return created, r.TimeBetween(created+event.Day, s.start-event.Day)
}

// arrivals has the hours of a span of time with the sum of their weights up to each one.
type arrivals struct {
	begin int64 // of the first hour
	sums  []float64
}

// newArrivals returns the hours of a span of time before hour 0.
func newArrivals(start, span int64) *arrivals {
	a := &arrivals{begin: start - span}
	sum := 0.0
	for hour := range span / 3600 {
		sum += hourWeight(a.begin+hour*3600, start)
		a.sums = append(a.sums, sum)
	}
	return a
}

// hourWeight is the weight of the hour that begins at a time.
func hourWeight(t, start int64) float64 {
	day, second := dayOf(t)
	hour := hourShares[second/3600]
	if !isWorkday(day) { // spread over the whole day
		hour = (hour + 45) / 2
	}
	return dayWeight(day, start) * hour
}

// at returns the time at a share of all weights, from 0 to 1.
func (a *arrivals) at(share float64) int64 {
	want := share * a.sums[len(a.sums)-1]
	hour := min(sort.SearchFloat64s(a.sums, want), len(a.sums)-1)
	before := 0.0
	if hour > 0 {
		before = a.sums[hour-1]
	}
	within := (want - before) / max(a.sums[hour]-before, 1e-9)
	return a.begin + int64(hour)*3600 + int64(3600*min(max(within, 0), 0.9999))
}
