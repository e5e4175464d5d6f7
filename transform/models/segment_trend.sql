-- relation: segment_trend (view)
-- doc: One row per segment and day on which the segments were read, with the number of members and its change. Days without a read have no row. A deleted segment keeps its days.
-- key: segment_id, snapshot_date
-- column segment_id: Id of the segment.
-- column snapshot_date: The day.
-- column name: Name of the segment on that day.
-- column member_count: Number of members at the last read of that day.
-- column previous_date: Last earlier day with a row of the segment; null for its first day.
-- column change: Change of member_count since previous_date, negative for fewer; null for the first day.
-- column change_in_week: Change of member_count over seven days; null if that day has no row.
SELECT id AS segment_id, snapshot_date, name, person_type, member_count,
       lag(snapshot_date) OVER days AS previous_date, member_count - lag(member_count) OVER days AS change,
       member_count - max(member_count) OVER (PARTITION BY id ORDER BY snapshot_date
         RANGE BETWEEN INTERVAL 7 DAYS PRECEDING AND INTERVAL 7 DAYS PRECEDING) AS change_in_week
FROM {schema}.segments_daily
WINDOW days AS (PARTITION BY id ORDER BY snapshot_date)
