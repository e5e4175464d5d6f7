package models

// Office is when somebody is there to answer: {office_hours} has its rows, {office_holidays} and {office_timezone} the rest.
type Office struct {
	Timezone string
	Hours    []Hours  // none: it is not known
	Holidays []string // as 2006-01-02
}

// Hours is a stretch of a day of the week, in the office's time zone.
type Hours struct {
	Weekday     int    // 1 is Monday, 7 is Sunday
	Opens, Ends string // as 09:00; 24:00 is the day's end
}
