-- How long do tickets take until the first answer and until they are resolved, by type?
-- draw: median_days_to_resolution
SELECT coalesce(k.ticket_type_name, 'no type') AS ticket_type, count(*) AS tickets, round(median(t.time_to_first_response_calendar) / 3600, 1) AS median_hours_to_answer,
       count(t.time_to_resolution_calendar) AS resolved, round(median(t.time_to_resolution_calendar) / 86400, 1) AS median_days_to_resolution,
       round(median(t.waiting_on_customer_seconds) / 3600, 1) AS median_hours_waiting_on_customer, count(*) FILTER (t.reopens > 0) AS reopened
FROM models.ticket_cycle t JOIN tickets k ON k.id = t.ticket_id GROUP BY ticket_type ORDER BY tickets DESC, ticket_type;
