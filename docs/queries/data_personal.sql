-- Which tables hold personal data, and in which columns?
SELECT schema, table_name, count(*) AS columns, string_agg(column_name, ', ' ORDER BY position) AS personal
FROM _sync.dictionary WHERE pii OR person GROUP BY schema, table_name ORDER BY schema, table_name;
