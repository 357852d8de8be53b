-- name: list_documents
-- listing.py puts in the conditions. By creation, which never changes: a document that changes while the pages are
-- read is neither lost nor doubled.
SELECT d.document_id, d.source, d.external_key, d.title, d.processing_status, d.file_type, d.page_count,
       d.page_count_estimated, d.language, d.subject_id, d.entity_id, d.taxonomy, d.metadata, d.audience,
       d.live_version, d.newest_version, d.created_at, d.updated_at,
       v.state, v.error_stage, v.error_code, v.error_message, v.warnings,
       -- Courses whose words the asker does not see are not named.
       ARRAY (SELECT c.course_id FROM course_documents c
              LEFT JOIN courses named ON named.org_id = c.org_id AND named.course_id = c.course_id
              WHERE c.org_id = d.org_id AND c.document_id = d.document_id
                AND (named.document_id IS NULL
                     OR EXISTS (SELECT FROM documents w
                                WHERE w.org_id = c.org_id AND w.document_id = named.document_id))
              ORDER BY c.course_id) AS courses,
       b.done AS batches_done, b.total AS batches_total
FROM documents d
JOIN document_versions v ON v.org_id = d.org_id AND v.document_id = d.document_id AND v.version = d.newest_version
LEFT JOIN LATERAL (
    SELECT count(*) FILTER (WHERE w.state = 'done') AS done, count(*) AS total
    FROM work w
    WHERE v.state = 'embedding' AND w.org_id = d.org_id AND w.document_id = d.document_id
      AND w.version = v.version AND w.stage = 'embed'
) b ON true
WHERE d.org_id = $1 AND d.deleted_at IS NULL
  /*conditions*/
ORDER BY d.created_at DESC, d.document_id DESC
LIMIT /*limit*/

-- name: versions_of
SELECT v.version, v.state, v.file_name, v.file_type, v.size_bytes, v.content_sha256, v.title, v.language,
       v.page_count, v.page_count_estimated, v.expected_chunks, v.warnings, v.error_stage, v.error_code,
       v.error_message, v.created_at, v.ready_at
FROM documents d
JOIN document_versions v ON v.org_id = d.org_id AND v.document_id = d.document_id AND v.version > d.deleted_through
WHERE d.org_id = $1 AND d.document_id = $2
ORDER BY v.version DESC LIMIT 50

-- name: hold_identity
-- Two uploads that both find no document must not both take it for their own.
SELECT pg_advisory_xact_lock(hashtextextended($1::uuid::text, 0))

-- name: audience_of
-- Of a deleted document too: it keeps its audience, and an upload brings it back.
SELECT audience, deleted_at FROM documents WHERE org_id = $1 AND document_id = $2

-- name: identity_of
SELECT d.source, d.external_key, v.file_name
FROM documents d
JOIN document_versions v ON v.org_id = d.org_id AND v.document_id = d.document_id AND v.version = d.newest_version
WHERE d.org_id = $1 AND d.document_id = $2 AND d.deleted_at IS NULL

-- name: original_of
-- The named version, else the live one, else the newest.
SELECT v.version, v.object_key, v.file_name, v.file_type, v.content_sha256, v.size_bytes
FROM documents d
JOIN document_versions v ON v.org_id = d.org_id AND v.document_id = d.document_id
     AND v.version = coalesce($3, d.live_version, d.newest_version) AND v.version > d.deleted_through
WHERE d.org_id = $1 AND d.document_id = $2 AND d.deleted_at IS NULL

-- name: version_exists
SELECT EXISTS (
    SELECT FROM documents d
    JOIN document_versions v ON v.org_id = d.org_id AND v.document_id = d.document_id
    WHERE d.org_id = $1 AND d.document_id = $2 AND d.deleted_at IS NULL AND v.version = $3
      AND v.version > d.deleted_through)
