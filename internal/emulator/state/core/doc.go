// Package core is the common base of a workspace's state: the lock, the clock, the knobs, and scheduled actions.
package core
