package duck

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	"aqueduck/load/failure"
)

// explainError makes an error of a statement fit for a message: that a cancelled context has ended it is said as others say it, where DuckDB
// has a word of its own, and no value is repeated.
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

// OutOfMemory says whether a statement ended for want of memory. What DuckDB advises then is not for whoever reads the message.
func OutOfMemory(err error) bool {
	return strings.Contains(err.Error(), "Out of Memory Error") || strings.Contains(err.Error(), "std::bad_alloc")
}

// Within gives up a step that takes longer than d: SQL that others have written may never come to its end.
func Within(ctx context.Context, d time.Duration, step func(context.Context) error) error {
	limited, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	err := step(limited)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		return fmt.Errorf("it took longer than %s and was stopped", d)
	}
	return err
}

// redactedError is an error that says less than its cause.
type redactedError struct {
	text  string
	cause error
}

func (d *redactedError) Error() string { return d.text }

// Unwrap gives the cause, which is for deciding and not for showing.
func (d *redactedError) Unwrap() error { return d.cause }

var (
	// aboutValues are the kinds of errors that come of what is in a row, and quote it; others quote names.
	aboutValues = regexp.MustCompile(`\b(Conversion|Invalid Input|Out of Range|Not implemented|Mismatch Type|Invalid Type) Error: `)
	quoted      = regexp.MustCompile(`['"].*['"]|['"].*$`)
	longNumber  = regexp.MustCompile(`\d{5,}(\.\d+)?`)
)

// withoutValues takes out of a message what may be a person's: from the first quotation mark to the last, long numbers, and the lines
// that follow the first, where the value is shown once more or goes on. The piece of the statement that DuckDB draws stays: values are
// no part of statements.
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
	rest = quoted.ReplaceAllString(rest, "[value]")
	return text[:kind[1]] + longNumber.ReplaceAllString(rest, "[value]") + drawn
}
