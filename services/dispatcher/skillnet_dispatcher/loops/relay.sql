-- name: unsent
SELECT org_id, outbox_seq, event_id, type, subject, document_id, payload FROM outbox
WHERE sent_at IS NULL AND (document_id IS NULL OR document_id <> ALL ($1::uuid[]))
ORDER BY outbox_seq LIMIT $2

-- name: mark_sent
UPDATE outbox o SET sent_at = now()
FROM unnest($1::uuid[], $2::bigint[]) AS s (org_id, outbox_seq)
WHERE o.org_id = s.org_id AND o.outbox_seq = s.outbox_seq
