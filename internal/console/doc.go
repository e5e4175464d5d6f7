// Package console serves the web console: what the program knows of its pipelines, as pages for people and as JSON.
package console
