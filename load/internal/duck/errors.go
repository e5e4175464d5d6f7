package duck

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	"aqueduck/load/failure"
)

// explainError makes the error of a statement fit for a message. It wraps the error of a cancelled context, which DuckDB
// words differently, and removes values of rows.
func explainError(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil && strings.Contains(err.Error(), "INTERRUPT Error") {
		return fmt.Errorf("%w: %w", ctx.Err(), err)
	}
	if OutOfMemory(err) {
		text, _, _ := strings.Cut(err.Error(), "\n")
		return &redactedError{failure.ErrWorkMemory.Error() + ": " + text, fmt.Errorf("%w: %w", failure.ErrWorkMemory, err)}
	}
	if text := withoutValues(err.Error()); text != err.Error() {
		return &redactedError{text, err}
	}
	return err
}

// OutOfMemory reports whether a statement ended for lack of memory. DuckDB's advice in that error is about settings that
// a reader cannot change.
func OutOfMemory(err error) bool {
	return strings.Contains(err.Error(), "Out of Memory Error") || strings.Contains(err.Error(), "std::bad_alloc")
}

// Within cancels a step that takes longer than d: SQL of users may never end.
func Within(ctx context.Context, d time.Duration, step func(context.Context) error) error {
	limited, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	err := step(limited)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		return fmt.Errorf("it took longer than %s and was stopped", d)
	}
	return err
}

// redactedError is an error with a text that says less than its cause.
type redactedError struct {
	text  string
	cause error
}

func (d *redactedError) Error() string { return d.text }

// Unwrap gives the cause, to decide by and not to show: it may hold values.
func (d *redactedError) Unwrap() error { return d.cause }

var (
	// aboutValues are the kinds of errors that may quote a value of a row; other kinds quote names.
	aboutValues = regexp.MustCompile(`\b(Conversion|Invalid Input|Out of Range|Not implemented|Mismatch Type|Invalid Type) Error: `)
	quotedText  = regexp.MustCompile(`['"].*['"]|['"].*$`)
	longNumber  = regexp.MustCompile(`\d{5,}(\.\d+)?`)
)

// withoutValues removes from a message what may be personal data: everything from the first quotation mark to the last,
// long numbers, and the lines after the first, which may repeat the value. The excerpt of the statement stays: statements
// hold no values.
func withoutValues(text string) string {
	kind := aboutValues.FindStringIndex(text)
	if kind == nil {
		return text
	}
	rest, drawn, _ := strings.Cut(text[kind[1]:], "\n")
	if drawn, _ = strings.CutPrefix(drawn, "\n"); strings.HasPrefix(drawn, "LINE ") {
		drawn = "\n\n" + drawn
	} else {
		drawn = ""
	}
	rest = strings.ReplaceAll(rest, "can't", "cannot")
	rest = quotedText.ReplaceAllString(rest, "[value]")
	return text[:kind[1]] + longNumber.ReplaceAllString(rest, "[value]") + drawn
}
