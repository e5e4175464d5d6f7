// Package usage reads command lines and says what is wrong with them.
package usage
