-- name: claim
-- Attempts are counted here and not at release: waiting is never a fault.
UPDATE work
SET state = 'claimed', attempts = attempts + 1, claim_token = gen_random_uuid(), claimed_by = $3,
    lease_until = now() + $4 * interval '1 second'
WHERE org_id = $1 AND work_id = $2 AND stage = $5 AND ($6::integer IS NULL OR model_id = $6)
  AND (state = 'released' OR (state = 'waiting' AND not_before <= now())
       OR (state = 'claimed' AND lease_until < now()))
RETURNING claim_token, stage, document_id, version, model_id, chunk_ids, attempts

-- name: renew
UPDATE work SET lease_until = now() + $4 * interval '1 second'
WHERE org_id = $1 AND work_id = $2 AND claim_token = $3

-- name: settle
-- Ends a claim in the transaction that writes its result. No row: the claim was lost, the result is not wanted.
UPDATE work
SET state = $4, claim_token = NULL, lease_until = NULL, last_error = $5,
    done_at = CASE WHEN $4 IN ('done', 'failed', 'cancelled', 'quarantined') THEN now() END
WHERE org_id = $1 AND work_id = $2 AND claim_token = $3

-- name: put_back
UPDATE work
SET state = 'waiting', claim_token = NULL, lease_until = NULL, released_seq = NULL, last_error = $5,
    not_before = now() + $4 * interval '1 second', attempts = attempts - $6
WHERE org_id = $1 AND work_id = $2 AND claim_token = $3

-- name: lock_document
SELECT FROM documents WHERE org_id = $1 AND document_id = $2 FOR UPDATE

-- name: mark_processing
-- The version may have ended since its work was claimed; the document's lock makes sure of what is seen here.
UPDATE documents SET processing_status = 'processing', updated_at = now()
WHERE org_id = $1 AND document_id = $2 AND processing_status IN ('pending', 'failed') AND deleted_at IS NULL
  AND EXISTS (SELECT FROM document_versions
              WHERE org_id = $1 AND document_id = $2 AND version = $3 AND state = 'uploaded')

-- name: add
INSERT INTO work (org_id, stage, document_id, version, cost) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (org_id, document_id, version, stage) WHERE stage <> 'embed' DO NOTHING

-- name: add_batches
INSERT INTO work (org_id, stage, document_id, version, model_id, chunk_ids, cost)
SELECT $1, 'embed', $2, $3, $4, ARRAY (SELECT jsonb_array_elements_text(batch -> 'chunks')::uuid),
       (batch ->> 'tokens')::integer
FROM jsonb_array_elements($5::jsonb) WITH ORDINALITY AS batches (batch, place)
ORDER BY place

-- name: cancel_version
UPDATE work SET state = 'cancelled', claim_token = NULL, lease_until = NULL, done_at = now()
WHERE org_id = $1 AND document_id = $2 AND version = $3
  AND state IN ('waiting', 'released', 'claimed')

-- name: cancel_document
UPDATE work SET state = 'cancelled', claim_token = NULL, lease_until = NULL, done_at = now()
WHERE org_id = $1 AND document_id = $2 AND state IN ('waiting', 'released', 'claimed')
