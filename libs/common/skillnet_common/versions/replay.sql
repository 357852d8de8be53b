-- name: find_work
SELECT document_id, version FROM work WHERE org_id = $1 AND work_id = $2

-- name: lock_work
-- After document and version, which is what keeps two replays apart.
SELECT state, stage, model_id FROM work WHERE org_id = $1 AND work_id = $2 FOR UPDATE

-- name: deleted_through
SELECT deleted_through FROM documents WHERE org_id = $1 AND document_id = $2

-- name: count_chunks
SELECT count(*) FROM document_chunks WHERE org_id = $1 AND document_id = $2 AND version = $3

-- name: other_models
SELECT count(*) FROM work
WHERE org_id = $1 AND document_id = $2 AND version = $3 AND stage = 'embed' AND model_id <> $4

-- name: take_back_vectors
WITH moved AS (
    DELETE FROM chunk_embeddings_archive WHERE org_id = $1 AND document_id = $2 AND version = $3
    RETURNING org_id, model_id, chunk_id, document_id, version, embedding
)
INSERT INTO chunk_embeddings (org_id, model_id, chunk_id, document_id, version, embedding)
SELECT org_id, model_id, chunk_id, document_id, version, embedding FROM moved
ON CONFLICT DO NOTHING

-- name: index_chunks
SELECT index_chunks($1, $2, $3)

-- name: wait_again
-- What was given up, and what was cancelled or failed with it.
UPDATE work
SET state = 'waiting', attempts = 0, not_before = now(), released_seq = NULL, last_error = NULL, done_at = NULL
WHERE org_id = $1 AND document_id = $2 AND version = $3 AND stage = $4
  AND state IN ('quarantined', 'cancelled', 'failed')

-- name: delete_work
DELETE FROM work WHERE org_id = $1 AND document_id = $2 AND version = $3

-- name: delete_postings
DELETE FROM chunk_postings WHERE org_id = $1 AND document_id = $2 AND version = $3

-- name: delete_chunks
DELETE FROM document_chunks WHERE org_id = $1 AND document_id = $2 AND version = $3

-- name: delete_sections
DELETE FROM document_sections WHERE org_id = $1 AND document_id = $2 AND version = $3

-- name: delete_text
DELETE FROM document_texts WHERE org_id = $1 AND document_id = $2 AND version = $3

-- name: reopen_version
UPDATE document_versions
SET state = $4, ended_at = NULL, archived_at = NULL, error_stage = NULL, error_code = NULL, error_message = NULL,
    expected_chunks = CASE WHEN $4 = 'embedding' THEN expected_chunks END
WHERE org_id = $1 AND document_id = $2 AND version = $3
RETURNING size_bytes

-- name: mark_processing
-- A document that readers see stays ready.
UPDATE documents SET processing_status = 'processing', updated_at = now()
WHERE org_id = $1 AND document_id = $2 AND live_version IS NULL
