-- How many tickets of each type are in which state?
SELECT coalesce(ticket_type_name, 'no type') AS ticket_type, category, coalesce(ticket_state_category, 'no state') AS state, count(*) AS tickets, count(*) FILTER (open) AS open
FROM tickets GROUP BY ticket_type, category, state ORDER BY ticket_type, category, tickets DESC, state;
