package sync

// UsualRate is assumed, in requests a minute, where neither the configuration nor a last run tells.
const UsualRate = 1000
