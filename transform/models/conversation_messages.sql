-- relation: conversation_messages (view)
-- doc: One row per message that the contact could see: first messages of conversations, comments, and choices of quick replies. Words that an admin adds to an assignment, a close, a snooze or a reopening are messages, too. Notes are none. Redacted messages count, without text.
-- key: conversation_id, part_id
-- changed by: conversations.id, conversation_parts.conversation_id
-- column conversation_id: Id of the conversation.
-- column part_id: Part with the message; source for the first message of the conversation.
-- column sent_at: Time of the message.
-- column author_kind: contact (a lead or user), human (an admin), ai (the AI agent, or an answer of it under any name), workflow (another bot, or a team without a name). Null for other authors.
-- column author_type: Type of the author, as sent.
-- column author_id: Id of the author; an admin may be deleted.
SELECT id AS conversation_id, 'source' AS part_id, created_at AS sent_at,
       CASE WHEN source_author_type IN ('user', 'lead') THEN 'contact' WHEN source_author_type = 'admin' THEN 'human'
            WHEN source_author_type IN ('bot', 'team') THEN 'workflow' END AS author_kind, source_author_type AS author_type, source_author_id AS author_id
FROM {schema}.conversations
UNION ALL
SELECT conversation_id, id, created_at,
       CASE WHEN author_type IN ('user', 'lead') THEN 'contact' WHEN from_ai_agent OR is_ai_answer THEN 'ai'
            WHEN author_type = 'admin' THEN 'human' WHEN author_type IN ('bot', 'team') THEN 'workflow' END, author_type, author_id
FROM {schema}.conversation_parts SEMI JOIN {schema}.conversations ON conversations.id = conversation_parts.conversation_id
WHERE part_type = 'comment' OR part_type = 'quick_reply' AND author_type IN ('user', 'lead')
   OR part_type IN ('assignment', 'assign_and_reopen', 'close', 'open', 'snoozed') AND author_type = 'admin'
      AND NOT coalesce(from_ai_agent OR is_ai_answer, false) AND (has_words OR redacted)
