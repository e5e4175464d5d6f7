// Package answer has the rows that a saved query gave, limits them to what a person asks for, and draws them: a line over time, bars, or a table.
package answer
