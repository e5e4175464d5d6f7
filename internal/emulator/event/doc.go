// Package event holds what happens in an emulated workspace: the entries of its logs, the records that they are about, and the ids of both.
// The logs are append-only, and they are the truth. The server and the oracle each derive the served state from them, and share no other code.
package event
