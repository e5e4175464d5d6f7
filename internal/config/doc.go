// Package config reads pipelines.yaml, and reports all its mistakes at once, with file and line.
package config
