-- name: insert_document
INSERT INTO documents (org_id, document_id, source, external_key, title)
VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING

-- name: lock_document
-- Only what the dispatcher's role may read too: it fails versions.
SELECT document_id, source, external_key, title, title_given, live_version, promoted_version, newest_version, deleted_at,
       page_count, embedding_model
FROM documents WHERE org_id = $1 AND document_id = $2 FOR UPDATE

-- name: lock_version
SELECT version, state, title, expected_chunks, object_key, file_name, file_type, language, page_count,
       page_count_estimated, warnings
FROM document_versions WHERE org_id = $1 AND document_id = $2 AND version = $3 FOR UPDATE

-- name: find_idempotency_key
SELECT request_hash, document_id, version, outcome FROM idempotency_keys WHERE org_id = $1 AND key = $2

-- name: insert_idempotency_key
INSERT INTO idempotency_keys (org_id, key, request_hash, document_id, version, outcome)
VALUES ($1, $2, $3, $4, $5, $6)

-- name: newest_standing_version
-- What is live or may become so. A superseded version is neither: after a delete the same bytes are a new version.
SELECT version, file_name, content_sha256, pipeline_fingerprint, title
FROM document_versions
WHERE org_id = $1 AND document_id = $2 AND state IN ('uploaded', 'parsed', 'embedding', 'ready')
ORDER BY version DESC LIMIT 1

-- name: insert_version
INSERT INTO document_versions
    (org_id, document_id, version, file_name, object_key, content_sha256, size_bytes, pipeline_fingerprint, title, language)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)

-- name: open_version
UPDATE documents
SET newest_version = $3, deleted_at = NULL, updated_at = now(),
    title = CASE WHEN live_version IS NULL THEN $4 ELSE title END, title_given = title_given OR $5,
    processing_status = CASE WHEN live_version IS NULL THEN 'pending' ELSE processing_status END
WHERE org_id = $1 AND document_id = $2

-- name: apply_metadata
-- $9 names what is to be nothing. An empty audience is lifted.
UPDATE documents d
SET title = n.title, title_given = d.title_given OR $3 IS NOT NULL, subject_id = n.subject_id,
    entity_id = n.entity_id, taxonomy = n.taxonomy, metadata = n.metadata, audience = n.audience, updated_at = now()
FROM (SELECT coalesce($3, o.title) AS title,
             CASE WHEN 'subject_id' = ANY ($9::text[]) THEN NULL ELSE coalesce($4, o.subject_id) END AS subject_id,
             CASE WHEN 'entity_id' = ANY ($9) THEN NULL ELSE coalesce($5, o.entity_id) END AS entity_id,
             CASE WHEN 'taxonomy' = ANY ($9) THEN NULL ELSE coalesce($6, o.taxonomy) END AS taxonomy,
             coalesce($7::jsonb, o.metadata) AS metadata,
             CASE WHEN $8::text[] IS NULL THEN o.audience ELSE nullif($8, '{}') END AS audience
      FROM documents o WHERE o.org_id = $1 AND o.document_id = $2) n
WHERE d.org_id = $1 AND d.document_id = $2
  AND (d.title, d.subject_id, d.entity_id, d.taxonomy, d.metadata, d.audience) IS DISTINCT FROM
      (n.title, n.subject_id, n.entity_id, n.taxonomy, n.metadata, n.audience)

-- name: retitle_version
UPDATE document_versions SET title = $4 WHERE org_id = $1 AND document_id = $2 AND version = $3

-- name: add_course
INSERT INTO courses (org_id, course_id, title) VALUES ($1, $2, $2) ON CONFLICT DO NOTHING

-- name: hold_course
-- Until the link to it is written: it may be deleted at this moment.
SELECT course_id FROM courses WHERE org_id = $1 AND course_id = $2 FOR KEY SHARE

-- name: link_course
INSERT INTO course_documents (org_id, course_id, document_id) VALUES ($1, $2, $3)
ON CONFLICT (org_id, course_id, document_id) DO UPDATE SET role = 'source' WHERE course_documents.role <> 'source'

-- name: unlink_other_courses
-- A course whose lessons point at the document goes on using it.
WITH unnamed AS (
    SELECT cd.course_id, EXISTS (SELECT FROM lesson_documents ld WHERE ld.org_id = $1 AND ld.document_id = $2
                                 AND ld.course_id = cd.course_id) AS is_used
    FROM course_documents cd
    WHERE cd.org_id = $1 AND cd.document_id = $2 AND cd.course_id <> ALL ($3::text[])
), kept AS (
    UPDATE course_documents cd SET role = 'content' FROM unnamed u
    WHERE cd.org_id = $1 AND cd.document_id = $2 AND cd.course_id = u.course_id AND u.is_used AND cd.role <> 'content'
)
DELETE FROM course_documents cd USING unnamed u
WHERE cd.org_id = $1 AND cd.document_id = $2 AND cd.course_id = u.course_id AND NOT u.is_used

-- name: courses_of
SELECT course_id FROM course_documents WHERE org_id = $1 AND document_id = $2 ORDER BY course_id

-- name: hold_serving_model
SELECT model_id, slug, name, dimension FROM embedding_models WHERE model_id = hold_serving_model()

-- name: count_vectors
SELECT count(*) FROM chunk_embeddings
WHERE org_id = $1 AND model_id = $2 AND document_id = $3 AND version = $4

-- name: end_version
UPDATE document_versions SET state = $4, ended_at = now() WHERE org_id = $1 AND document_id = $2 AND version = $3

-- name: make_version_ready
UPDATE document_versions SET state = 'ready', ready_at = now(), model_id = $4
WHERE org_id = $1 AND document_id = $2 AND version = $3

-- name: promote
UPDATE documents d
SET live_version = v.version, promoted_version = v.version, processing_status = 'ready', title = v.title,
    file_type = v.file_type, page_count = v.page_count, page_count_estimated = v.page_count_estimated,
    language = v.language, embedding_model = $4, embedding_dim = $5, updated_at = now(),
    full_text = CASE WHEN v.page_count <= $6
        THEN (SELECT t.text FROM document_texts t
              WHERE t.org_id = $1 AND t.document_id = $2 AND t.version = $3) END
FROM document_versions v
WHERE d.org_id = $1 AND d.document_id = $2 AND v.org_id = $1 AND v.document_id = $2 AND v.version = $3

-- name: section_changes
-- A path may stand more than once in a document: its digests are compared as a sorted list.
WITH old AS (
    SELECT path, array_agg(digest ORDER BY digest) AS digests FROM document_sections
    WHERE org_id = $1 AND document_id = $2 AND version = $3 AND cardinality(path) > 0 GROUP BY path
), new AS (
    SELECT path, array_agg(digest ORDER BY digest) AS digests, min(section_index) AS place FROM document_sections
    WHERE org_id = $1 AND document_id = $2 AND version = $4 AND cardinality(path) > 0 GROUP BY path
)
SELECT to_jsonb(coalesce(new.path, old.path)) AS path,
       CASE WHEN old.path IS NULL THEN 'added' WHEN new.path IS NULL THEN 'removed' ELSE 'changed' END AS change
FROM new FULL JOIN old ON new.path = old.path
WHERE new.digests IS DISTINCT FROM old.digests
ORDER BY new.place NULLS LAST, old.path

-- name: content_changed
-- What is not known counts as changed.
SELECT coalesce(
    (SELECT array_agg(digest ORDER BY section_index) FROM document_sections
     WHERE org_id = $1 AND document_id = $2 AND version = $3)
    <> (SELECT array_agg(digest ORDER BY section_index) FROM document_sections
        WHERE org_id = $1 AND document_id = $2 AND version = $4), true)

-- name: fail_version
UPDATE document_versions SET state = 'failed', ended_at = now(), error_stage = $4, error_code = $5, error_message = $6
WHERE org_id = $1 AND document_id = $2 AND version = $3

-- name: fail_document
-- A live version keeps serving; so does hope, while another version is under way.
UPDATE documents SET processing_status = 'failed', updated_at = now()
WHERE org_id = $1 AND document_id = $2 AND live_version IS NULL
  AND NOT EXISTS (SELECT FROM document_versions
                  WHERE org_id = $1 AND document_id = $2 AND state IN ('uploaded', 'parsed', 'embedding'))

-- name: delete_document
UPDATE documents
SET deleted_at = now(), deleted_through = newest_version, live_version = NULL, full_text = NULL, updated_at = now()
WHERE org_id = $1 AND document_id = $2

-- name: cancel_open_versions
-- One version, or all where $3 is NULL.
UPDATE document_versions
SET state = 'cancelled', ended_at = now(), error_code = 'cancelled', error_message = $4,
    error_stage = CASE state WHEN 'uploaded' THEN 'parse' WHEN 'parsed' THEN 'chunk' ELSE 'embed' END
WHERE org_id = $1 AND document_id = $2 AND ($3::integer IS NULL OR version = $3)
  AND state IN ('uploaded', 'parsed', 'embedding')

-- name: retire_ready_versions
UPDATE document_versions SET state = 'superseded', ended_at = now()
WHERE org_id = $1 AND document_id = $2 AND state = 'ready'

-- name: insert_event
INSERT INTO outbox (org_id, event_id, type, subject, document_id, version, payload)
VALUES ($1, $2, $3, $4, $5, $6, $7::jsonb)
