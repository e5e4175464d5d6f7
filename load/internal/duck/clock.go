package duck

import "time"

// clockStatements make functions that ask for the time return a fixed one, in this connection alone. DuckDB looks for a temporary macro before it
// looks for a function of its own, in views too.
func clockStatements(now time.Time) (statements []string) {
	if now.IsZero() {
		return nil
	}
	at := "TIMESTAMPTZ " + Text(now.UTC().Format("2006-01-02 15:04:05.999999Z07:00"))
	for _, f := range [][2]string{{"now", "TIMESTAMPTZ"}, {"transaction_timestamp", "TIMESTAMPTZ"}, {"get_current_timestamp", "TIMESTAMPTZ"},
		{"current_localtimestamp", "TIMESTAMP"}, {"current_date", "DATE"}, {"today", "DATE"}, {"get_current_time", "TIMETZ"}, {"current_localtime", "TIMESTAMP::TIME"}} {
		statements = append(statements, "CREATE TEMP MACRO "+f[0]+"() AS ("+at+")::"+f[1])
	}
	return append(statements, "CREATE TEMP MACRO age(t) AS system.main.age(("+at+")::DATE::TIMESTAMPTZ, t), (a, b) AS system.main.age(a, b)")
}
