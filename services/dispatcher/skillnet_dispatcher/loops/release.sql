-- name: capacities
SELECT service, sum(capacity)::integer AS capacity FROM instances
WHERE service IN ('parser', 'chunker', 'embedder') AND seen_at > now() - interval '15 seconds'
GROUP BY service

-- name: model_slugs
SELECT model_id, slug FROM embedding_models ORDER BY model_id

-- name: held
SELECT org_id, count(*)::integer AS pieces FROM (
    SELECT org_id FROM work WHERE state = 'released' AND stage = $1 AND model_id IS NOT DISTINCT FROM $2
    UNION ALL
    SELECT org_id FROM work WHERE state = 'claimed' AND stage = $1 AND model_id IS NOT DISTINCT FROM $2
) out GROUP BY org_id

-- name: waiting
-- Steps from tenant to tenant along the index instead of counting rows: thousands of them cost nothing.
WITH RECURSIVE tenants AS (
    (SELECT org_id FROM work WHERE state = 'waiting' AND stage = $1 ORDER BY org_id LIMIT 1)
    UNION ALL
    SELECT (SELECT w.org_id FROM work w WHERE w.state = 'waiting' AND w.stage = $1 AND w.org_id > t.org_id
            ORDER BY w.org_id LIMIT 1)
    FROM tenants t WHERE t.org_id IS NOT NULL
)
SELECT t.org_id, due.pieces
FROM tenants t CROSS JOIN LATERAL (
    SELECT count(*)::integer AS pieces FROM (
        SELECT FROM work w
        WHERE w.state = 'waiting' AND w.stage = $1 AND w.org_id = t.org_id
          AND w.model_id IS NOT DISTINCT FROM $2 AND w.not_before <= now()
        LIMIT $3
    ) AS first_ones
) due
WHERE t.org_id IS NOT NULL AND due.pieces > 0

-- name: pick
SELECT w.org_id, w.work_id, w.releases, w.attempts
FROM unnest($3::uuid[], $4::integer[]) AS share (org_id, places)
CROSS JOIN LATERAL (
    SELECT org_id, work_id, releases, attempts FROM work
    WHERE state = 'waiting' AND stage = $1 AND org_id = share.org_id
      AND model_id IS NOT DISTINCT FROM $2 AND not_before <= now()
    ORDER BY work_id LIMIT share.places
) w

-- name: mark_released
-- A row that was claimed since keeps its state, but its next message must have another id: hence `releases` in
-- any case. Rows that somebody holds a lock on are left out: waiting for them here could be a deadlock.
WITH sent AS (
    SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::integer[], $4::integer[], $5::bigint[])
        AS s (org_id, work_id, releases, attempts, seq)
), free AS (
    SELECT w.org_id, w.work_id, s.seq,
           w.state = 'waiting' AND w.attempts = s.attempts AND s.seq IS NOT NULL AS still_waits
    FROM work w JOIN sent s ON s.org_id = w.org_id AND s.work_id = w.work_id AND s.releases = w.releases
    WHERE w.state IN ('waiting', 'claimed')
    FOR UPDATE OF w SKIP LOCKED
)
UPDATE work w
SET releases = w.releases + 1,
    state = CASE WHEN f.still_waits THEN 'released' ELSE w.state END,
    released_at = CASE WHEN f.still_waits THEN now() ELSE w.released_at END,
    released_seq = CASE WHEN f.still_waits THEN f.seq ELSE w.released_seq END
FROM free f WHERE w.org_id = f.org_id AND w.work_id = f.work_id
