-- Which published articles are viewed most, and how do readers react to them?
SELECT id, title, views, conversations, reactions, happy_reaction_percentage AS percent_happy, sad_reaction_percentage AS percent_sad
FROM articles WHERE state = 'published' ORDER BY views DESC NULLS LAST, id LIMIT 20;
