-- relation: unread (view)
-- doc: One row. No pipeline reads these, so that the model is left out.
SELECT 1 FROM {schema}.reporting_conversation, {schema}.tickets_attributes, {schema}.contacts_all, {schema}.contacts_history, {schema}.segments_daily,
  {models}.unread_too, {models}.sla
