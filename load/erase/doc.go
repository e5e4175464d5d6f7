// Package erase removes persons and redacted texts from all stored data, and keeps them out of every commit.
package erase
