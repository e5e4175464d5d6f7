// Package conversations keeps the conversations of a workspace and their consultations, and draws each one in full when it is asked for.
package conversations
