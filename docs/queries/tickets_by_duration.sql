-- How long do tickets take until the first answer and until they are resolved, and wait for the customer, by type?
-- The wait of a ticket that waits for its customer now counts until the newest data.
-- draw: median_days_to_resolution
WITH tickets_and_waits AS (
  SELECT *, CASE WHEN state = 'waiting_on_customer' THEN coalesce(waiting_on_customer_seconds, 0) + greatest(0, epoch((SELECT max(synced_to) FROM _sync.freshness)) - epoch(state_since))
                 ELSE waiting_on_customer_seconds END AS waited FROM models.ticket_cycle
)
SELECT coalesce(ticket_type_name, 'no type') AS ticket_type, count(*) AS tickets, round(median(time_to_first_response_calendar) / 3600, 1) AS median_hours_to_answer,
       count(time_to_resolution_calendar) AS resolved, round(median(time_to_resolution_calendar) / 86400, 1) AS median_days_to_resolution,
       count(waited) AS waited_for_the_customer, round(median(waited) / 86400, 1) AS median_days_waiting_on_customer, count(*) FILTER (reopens > 0) AS reopened
FROM tickets_and_waits GROUP BY ticket_type ORDER BY tickets DESC, ticket_type;
