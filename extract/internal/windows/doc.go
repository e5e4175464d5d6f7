// Package windows divides the history of a list into windows, and keeps the records of a window that the one below returns again.
package windows
