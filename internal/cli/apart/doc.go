// Package apart runs a pipeline once in a child process of this program, for the commands that go on after a run: serve and worker.
package apart
