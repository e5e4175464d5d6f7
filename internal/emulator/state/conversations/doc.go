// Package conversations stores the conversations of a workspace with their consultations, and replays each one in full on demand.
package conversations
