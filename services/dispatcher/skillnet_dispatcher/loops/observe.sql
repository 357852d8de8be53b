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

-- name: stalled
-- Versions under way that nobody is to do anything for: there must be none, ever.
SELECT count(*)::integer FROM document_versions v
WHERE v.state IN ('uploaded', 'parsed', 'embedding')
  AND NOT EXISTS (SELECT FROM work w
                  WHERE w.org_id = v.org_id AND w.document_id = v.document_id AND w.version = v.version
                    AND w.state IN ('waiting', 'released', 'claimed'))
