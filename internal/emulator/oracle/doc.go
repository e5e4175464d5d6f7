// Package oracle computes the truth of an emulated workspace from the log of its events, apart from the server: of the emulator it imports the
// events and nothing else. The same state is computed twice on purpose, by different code. Where both agree, neither has copied a mistake of
// the other.
package oracle
