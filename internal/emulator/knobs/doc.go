// Package knobs defines the optional behaviour of an emulated service, and how often it happens.
package knobs
