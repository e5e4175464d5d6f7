package warehouse

import "time"

// UnixTime converts Unix seconds to a UTC time; 0 is the zero time.
func UnixTime(seconds int64) time.Time {
	if seconds == 0 {
		return time.Time{}
	}
	return time.Unix(seconds, 0).UTC()
}
