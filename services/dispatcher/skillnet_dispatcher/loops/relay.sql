-- name: unsent
SELECT org_id, outbox_seq, event_id, type, subject, document_id, payload FROM outbox
WHERE sent_at IS NULL AND (document_id IS NULL OR document_id <> ALL ($1::uuid[]))
ORDER BY outbox_seq LIMIT $2

-- name: mark_sent
UPDATE outbox o SET sent_at = now()
FROM unnest($1::uuid[], $2::bigint[]) AS s (org_id, outbox_seq)
WHERE o.org_id = s.org_id AND o.outbox_seq = s.outbox_seq

-- name: known_stream
SELECT created_at FROM known_streams WHERE name = $1

-- name: remember_stream
INSERT INTO known_streams (name, created_at) VALUES ($1, $2)
ON CONFLICT (name) DO UPDATE SET created_at = excluded.created_at

-- name: send_again
UPDATE outbox SET sent_at = NULL WHERE sent_at > now() - $1 * interval '1 day'
