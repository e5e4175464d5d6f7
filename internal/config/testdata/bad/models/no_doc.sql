-- relation: mine (view)
SELECT 1 AS n
