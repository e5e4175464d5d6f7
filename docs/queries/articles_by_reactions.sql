-- Which published articles do most readers react to, and how?
SELECT article_id, title, reactions, views, round(100 * reactions_per_view, 1) AS percent_react, happy_reaction_percentage AS percent_happy, sad_reaction_percentage AS percent_sad
FROM models.article_effectiveness WHERE state = 'published' ORDER BY reactions DESC NULLS LAST, article_id LIMIT 20;
