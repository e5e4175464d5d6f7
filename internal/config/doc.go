// Package config reads pipelines.yaml, and says every mistake in it at once, with file and line.
package config
