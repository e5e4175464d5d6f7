-- relation: segment_trend (view)
-- doc: One row per segment and day on which the segments were read, with how many were in it and how that has moved. Days without a reading have no row; a segment that was deleted keeps its days.
-- key: segment_id, snapshot_date
-- column segment_id: The segment.
-- column snapshot_date: The day.
-- column name: Name that the segment had on that day.
-- column member_count: How many were in it when it was last read that day.
-- column previous_date: The day before that has a row of the segment, which is earlier than the day before where a reading is missing; null for its first.
-- column change: How many more there are than on previous_date, less than 0 for fewer; null for its first day.
-- column change_in_week: How many more there are than seven days before; null where that day has no row.
SELECT id AS segment_id, snapshot_date, name, person_type, member_count,
       lag(snapshot_date) OVER days AS previous_date, member_count - lag(member_count) OVER days AS change,
       member_count - max(member_count) OVER (PARTITION BY id ORDER BY snapshot_date
         RANGE BETWEEN INTERVAL 7 DAYS PRECEDING AND INTERVAL 7 DAYS PRECEDING) AS change_in_week
FROM {schema}.segments_daily
WINDOW days AS (PARTITION BY id ORDER BY snapshot_date)
