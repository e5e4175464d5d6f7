-- relation: office_hours (table)
-- doc: One row per period of warehouse.office_hours of pipelines.yaml, from 2010 to 2040; no rows without that setting. Office seconds between two instants: the difference of open_before, plus the elapsed seconds of the period at each instant.
-- key: opens_at
-- column opens_at: Start of the period.
-- column ends_at: End of the period.
-- column open_before: Office seconds before opens_at, since 2010.
WITH stretches AS (
  SELECT timezone({office_timezone}, day + opens) AS opens_at, timezone({office_timezone}, day + ends) AS ends_at
  FROM (SELECT unnest(range(TIMESTAMP '2010-01-01', TIMESTAMP '2041-01-01', INTERVAL 1 DAY)) AS day)
  JOIN {office_hours} ON weekday = isodow(day)
  WHERE day::DATE NOT IN (SELECT holiday FROM {office_holidays})
)
SELECT opens_at, ends_at,
       coalesce(sum(epoch(ends_at) - epoch(opens_at)) OVER (ORDER BY opens_at ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)::BIGINT AS open_before
FROM stretches
WHERE ends_at > opens_at
ORDER BY opens_at
