package models

// Office is the configured office hours. {office_hours} in a model has the rows of Hours, {office_holidays} those of Holidays,
// {office_timezone} the time zone.
type Office struct {
	Timezone string
	Hours    []Hours  // none: not configured
	Holidays []string // as 2006-01-02
}

// Hours is an opening time on a weekday, in the office's time zone.
type Hours struct {
	Weekday     int    // 1 is Monday, 7 is Sunday
	Opens, Ends string // such as 09:00; 24:00 is the end of the day
}
