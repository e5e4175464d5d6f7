// Package event holds what happens in an emulated workspace: the entries of its logs, what they are about, and the ids of both.
// The logs are only appended to, and are the truth. Nothing here works out what is served: the server and the oracle each do that,
// by code that shares nothing but this package.
package event
