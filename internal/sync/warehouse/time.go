package warehouse

import "time"

// UnixTime is a time of UNIX seconds; the zero time for 0.
func UnixTime(seconds int64) time.Time {
	if seconds == 0 {
		return time.Time{}
	}
	return time.Unix(seconds, 0).UTC()
}
