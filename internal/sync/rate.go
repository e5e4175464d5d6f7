package sync

// UsualRate is the assumed number of requests a minute when neither the configuration nor an earlier run states one.
const UsualRate = 1000
