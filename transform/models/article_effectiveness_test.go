package models_test

import "testing"

func TestArticleEffectivenessReadsStatisticsAndAnswers(t *testing.T) {
	t.Parallel()
	g := newGolden(t,
		insertRows("articles_all", "id|url|state|views|reactions|conversations|happy_reaction_percentage|neutral_reaction_percentage|sad_reaction_percentage|_gone_at",
			"a1|https://h/en/1|published|200|10|4|50|30|20|",
			"a2|https://h/en/2|published|100|0|0|0|0|0|", // nobody said what he thinks: not that nobody was happy
			"a3|https://h/en/3|published|0|0|0|0|0|0|",
			"a4||draft|||||||",
			"a5|https://h/en/5|published|8|1|2|0|0|100|",
			"a6|https://h/en/6|published|8|2|1|100|0|0|",
			"gone|https://h/en/7|published|8|2|1|100|0|0|2026-07-20"),
		insertRows("article_translations", "article_id|locale|url", "a1|en|https://h/en/1", "a1|de|https://h/de/1", "a4|en|"),
		insertRows("conversations_all", "id|ai_agent_participated|ai_agent_resolution_state|_gone_at",
			"c1|true|confirmed_resolution|", "c2|true|routed_to_team|", "c3|true|assumed_resolution|", "c4|true||",
			"c5|false||", "c6|true|abandoned|", "gone|true|confirmed_resolution|2026-07-20"),
		// c1 quotes a1 in two languages; what is not an article has addresses, too.
		insertRows("conversation_content_sources", "conversation_id|_position|content_type|url",
			"c1|0|article|https://h/en/1", "c1|1|article|https://h/de/1", "c2|0|article|https://h/de/1", "c2|1|article|https://h/en/5",
			"c3|0|article|https://h/en/5", "c4|0|internal_article|https://h/en/6", "c4|1|article|", "c6|0|article|https://elsewhere",
			"gone|0|article|https://h/en/1"))
	g.expectRows("SELECT article_id, views, reactions, conversations, reactions_per_view, conversations_per_view, happy_reaction_percentage, sad_reaction_percentage, ai_conversations, ai_resolved FROM models.article_effectiveness",
		"a1|200|10|4|0.05|0.02|50|20|2|1",
		"a2|100|0|0|0|0|||0|0",
		"a3|0|0|0|||||0|0",
		"a4||||||||0|0",
		"a5|8|1|2|0.125|0.25|0|100|2|1",
		"a6|8|2|1|0.25|0.125|100|0|0|0")
}

func TestArticleEffectivenessHasEveryArticle(t *testing.T) {
	t.Parallel()
	g := openFilled(t)
	g.expectRows("SELECT count(*), sum(views), sum(reactions), sum(conversations) FROM models.article_effectiveness",
		g.rowTexts("SELECT count(*), sum(views), sum(reactions), sum(conversations) FROM main.articles")...)
	g.expectRows(`SELECT count(*) FILTER (ai_conversations > 0) > 0, count(*) FILTER (ai_resolved > 0) > 0, count(*) FILTER (state = 'draft' AND ai_conversations > 0), max(ai_conversations) <= (SELECT count(*) FROM main.conversations)
		FROM models.article_effectiveness`, "true|true|0|true")
}
