-- name: wait_again
WITH expired AS (
    SELECT org_id, work_id FROM work
    WHERE state = 'claimed' AND lease_until < now() AND attempts < $1
    ORDER BY lease_until LIMIT 500
    FOR UPDATE SKIP LOCKED
)
UPDATE work w
SET state = 'waiting', claim_token = NULL, lease_until = NULL, released_seq = NULL, not_before = now(),
    last_error = 'its worker vanished'
FROM expired WHERE w.org_id = expired.org_id AND w.work_id = expired.work_id

-- name: exhausted
SELECT org_id, work_id, document_id, version, stage, attempts FROM work
WHERE state = 'claimed' AND lease_until < now() AND attempts >= $1
ORDER BY lease_until LIMIT 50

-- name: quarantine
UPDATE work
SET state = 'quarantined', claim_token = NULL, lease_until = NULL, done_at = now(), last_error = $3
WHERE org_id = $1 AND work_id = $2 AND state = 'claimed' AND lease_until < now()
