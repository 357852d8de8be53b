-- name: quarantined
-- What was deleted has nothing left to replay. $2: one piece, $3: pieces before this one, newest first.
SELECT w.work_id, w.document_id, w.version, v.title, d.source, d.external_key, w.stage, w.attempts, w.last_error,
       w.created_at, w.done_at AS quarantined_at, w.version <= d.promoted_version AS outrun
FROM work w
JOIN documents d ON d.org_id = w.org_id AND d.document_id = w.document_id
JOIN document_versions v ON v.org_id = w.org_id AND v.document_id = w.document_id AND v.version = w.version
WHERE w.org_id = $1 AND w.state = 'quarantined' AND d.deleted_at IS NULL AND w.version > d.deleted_through
  AND ($2::uuid IS NULL OR w.work_id = $2)
  AND ($3::uuid IS NULL OR w.work_id < $3)
ORDER BY w.work_id DESC LIMIT $4
