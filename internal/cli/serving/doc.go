// Package serving runs the pipelines of the command serve at their times, and those that the console starts, with a configuration that can be reloaded.
package serving
