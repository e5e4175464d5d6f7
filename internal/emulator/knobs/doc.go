// Package knobs says what an emulated service may do to its readers, and how often.
package knobs
