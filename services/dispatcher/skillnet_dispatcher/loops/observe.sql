-- name: queues
SELECT stage, state, count(*)::integer AS pieces,
       coalesce(extract(epoch FROM now() - min(not_before))::double precision, 0) AS oldest_seconds
FROM work WHERE state = 'waiting' GROUP BY stage, state
UNION ALL
SELECT stage, state, count(*)::integer, 0 FROM work WHERE state = 'released' GROUP BY stage, state
UNION ALL
SELECT stage, state, count(*)::integer, 0 FROM work WHERE state = 'claimed' GROUP BY stage, state

-- name: outbox
SELECT count(*)::integer AS events,
       coalesce(extract(epoch FROM now() - min(created_at))::double precision, 0) AS lag_seconds
FROM outbox WHERE sent_at IS NULL
