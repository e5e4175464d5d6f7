// Package knobs holds the settings of an emulated service: which faults and oddities, and how often.
package knobs
