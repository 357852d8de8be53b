-- name: to_archive
SELECT org_id, document_id, version FROM document_versions
WHERE state IN ('superseded', 'failed', 'cancelled') AND archived_at IS NULL
ORDER BY ended_at LIMIT $1

-- name: hold_ended
-- A roll-back brings an ended version to life again: the two exclude each other.
SELECT version FROM document_versions
WHERE org_id = $1 AND document_id = $2 AND version = $3
  AND state IN ('superseded', 'failed', 'cancelled') AND archived_at IS NULL
FOR UPDATE SKIP LOCKED

-- name: archive_vectors
WITH step AS (
    SELECT model_id, chunk_id FROM chunk_embeddings
    WHERE org_id = $1 AND document_id = $2 AND version = $3 LIMIT $4
), moved AS (
    DELETE FROM chunk_embeddings e USING step
    WHERE e.org_id = $1 AND e.model_id = step.model_id AND e.chunk_id = step.chunk_id
    RETURNING e.org_id, e.model_id, e.chunk_id, e.document_id, e.version, e.embedding
)
INSERT INTO chunk_embeddings_archive (org_id, model_id, chunk_id, document_id, version, embedding)
SELECT org_id, model_id, chunk_id, document_id, version, embedding FROM moved
ON CONFLICT DO NOTHING

-- name: delete_postings
DELETE FROM chunk_postings WHERE org_id = $1 AND document_id = $2 AND version = $3

-- name: mark_archived
UPDATE document_versions SET archived_at = now() WHERE org_id = $1 AND document_id = $2 AND version = $3

-- name: past_keeping
-- Ended versions beyond the last $1 of their document, and all of a document deleted long ago.
SELECT v.org_id, v.document_id, v.version
FROM (
    SELECT org_id, document_id, version, ended_at,
           row_number() OVER (PARTITION BY org_id, document_id ORDER BY version DESC) AS place
    FROM document_versions WHERE state IN ('superseded', 'failed', 'cancelled')
) v
WHERE v.place > $1 AND v.ended_at < now() - $2 * interval '1 hour'
UNION
SELECT v.org_id, v.document_id, v.version
FROM documents d JOIN document_versions v USING (org_id, document_id)
WHERE d.deleted_at < now() - $2 * interval '1 hour' AND v.state IN ('superseded', 'failed', 'cancelled')
LIMIT $3

-- name: hold_removable
SELECT version FROM document_versions
WHERE org_id = $1 AND document_id = $2 AND version = $3 AND state IN ('superseded', 'failed', 'cancelled')
FOR UPDATE SKIP LOCKED

-- name: delete_chunks
-- Their vectors go with them.
DELETE FROM document_chunks
WHERE org_id = $1 AND chunk_id IN (
    SELECT chunk_id FROM document_chunks WHERE org_id = $1 AND document_id = $2 AND version = $3 LIMIT $4)

-- name: lock_document
SELECT deleted_at FROM documents WHERE org_id = $1 AND document_id = $2 FOR UPDATE

-- name: delete_version
WITH gone AS (
    DELETE FROM document_versions
    WHERE org_id = $1 AND document_id = $2 AND version = $3 AND state IN ('superseded', 'failed', 'cancelled')
    RETURNING object_key
)
INSERT INTO object_deletions (org_id, object_key)
SELECT $1, object_key FROM gone
WHERE NOT EXISTS (SELECT FROM document_versions o
                  WHERE o.org_id = $1 AND o.document_id = $2 AND o.version <> $3 AND o.object_key = gone.object_key)
ON CONFLICT DO NOTHING

-- name: objects_to_delete
SELECT org_id, object_key FROM object_deletions ORDER BY coalesce(tried_at, created_at) LIMIT $1

-- name: object_deleted
DELETE FROM object_deletions WHERE org_id = $1 AND object_key = $2

-- name: object_refused
UPDATE object_deletions SET tried_at = now() WHERE org_id = $1 AND object_key = $2

-- name: delete_sent_events
DELETE FROM outbox WHERE (org_id, outbox_seq) IN (
    SELECT org_id, outbox_seq FROM outbox
    WHERE sent_at < now() - $1 * interval '1 day' ORDER BY sent_at LIMIT $2)

-- name: delete_idempotency_keys
DELETE FROM idempotency_keys WHERE (org_id, key) IN (
    SELECT org_id, key FROM idempotency_keys
    WHERE created_at < now() - $1 * interval '1 day' ORDER BY created_at LIMIT $2)

-- name: delete_instances
DELETE FROM instances WHERE seen_at < now() - interval '10 minutes'
