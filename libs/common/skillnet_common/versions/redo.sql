-- name: outdated_versions
-- Versions that another pipeline than $2 made, of the documents $3 or of all where it is NULL, first $4 of `total`:
-- what readers see, or the newest one where it failed and none is live. Not while a version is under way, not where
-- this pipeline was tried on these bytes since, and no file that could not be read and would be read the same way again.
SELECT v.document_id, v.version, v.file_name, v.object_key, v.content_sha256, v.size_bytes, v.title, v.language,
       v.pipeline_fingerprint, count(*) OVER () AS total
FROM documents d
JOIN document_versions v ON v.org_id = d.org_id AND v.document_id = d.document_id
     AND v.version = coalesce(d.live_version, d.newest_version)
WHERE d.org_id = $1 AND ($3::uuid[] IS NULL OR d.document_id = ANY ($3)) AND d.deleted_at IS NULL
  AND v.version > d.deleted_through AND v.pipeline_fingerprint <> $2
  AND (v.state = 'ready'
       OR v.state = 'failed' AND (v.error_stage <> 'parse'
                                  OR split_part(v.pipeline_fingerprint, '-', 1) <> split_part($2, '-', 1)))
  AND NOT EXISTS (
      SELECT FROM document_versions o
      WHERE o.org_id = d.org_id AND o.document_id = d.document_id
        AND (o.state IN ('uploaded', 'parsed', 'embedding')
             OR o.version > v.version AND o.content_sha256 = v.content_sha256 AND o.pipeline_fingerprint = $2))
ORDER BY v.document_id LIMIT $4

-- name: opened_version
SELECT pipeline_fingerprint, size_bytes FROM document_versions WHERE org_id = $1 AND document_id = $2 AND version = $3
