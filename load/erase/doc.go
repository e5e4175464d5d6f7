// Package erase takes persons, and texts that the source took out, from all that is stored, and keeps them out of every commit.
package erase
