package models_test

import "testing"

func TestAssignedBotsAreThoseThatAPartNamesAsBots(t *testing.T) {
	t.Parallel()
	g := newGolden(t,
		"INSERT INTO main.conversation_parts (conversation_id, id, assigned_to_type, assigned_to_id) VALUES ('a', '1', 'bot', '7'), ('a', '2', 'admin', '8'), ('b', '1', 'bot', '7'), ('b', '2', 'bot', NULL), ('b', '3', 'bot', '9')")
	g.expectRows("FROM models.assigned_bots", "7", "9")
}
