-- relation: article_history (view)
-- doc: One row per article of the help center, also deleted ones; with history, one per state.
-- key: id, _fivetran_start
-- column type: article, the kind of the record.
-- column collection_id from parent_id: Collection that contains it directly, parent_id where parent_type is collection.
-- column section_id from parent_id: Section that contains it, parent_id where parent_type is section. API versions without sections send none.
-- column statistics_type: article_statistics, the kind of the statistics; null without statistics.
-- column statistics_views from views: Number of times it was opened.
-- column statistics_conversations from conversations: How many conversations began from it.
-- column statistics_reactions from reactions: Number of reactions of readers.
-- column statistics_happy_reaction_percentage from happy_reaction_percentage: Share of happy reactions, in percent.
-- column statistics_neutral_reaction_percentage from neutral_reaction_percentage: Share of neutral reactions, in percent.
-- column statistics_sad_reaction_percentage from sad_reaction_percentage: Share of sad reactions, in percent.
SELECT id, 'article' AS type, workspace_id, title, description, body, author_id, state, url, parent_type,
       CASE WHEN parent_type = 'collection' THEN parent_id END AS collection_id,
       CASE WHEN parent_type = 'section' THEN parent_id END AS section_id,
       default_locale, timezone('UTC', created_at) AS created_at, timezone('UTC', updated_at) AS updated_at,
       CASE WHEN views IS NOT NULL THEN 'article_statistics' END AS statistics_type,
       views AS statistics_views, conversations AS statistics_conversations, reactions AS statistics_reactions,
       happy_reaction_percentage AS statistics_happy_reaction_percentage,
       neutral_reaction_percentage AS statistics_neutral_reaction_percentage,
       sad_reaction_percentage AS statistics_sad_reaction_percentage, {state}
FROM {states of articles}
