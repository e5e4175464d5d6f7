// Package web serves HTTP until a context ends, and says whether the program is alive.
package web
