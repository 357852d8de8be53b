-- name: insert_text
INSERT INTO document_texts (org_id, document_id, version, text, layout, removed) VALUES ($1, $2, $3, $4, $5, $6)

-- name: insert_sections
INSERT INTO document_sections
    (org_id, document_id, version, section_index, section_id, parent_index, level, heading, path,
     char_start, char_end, page_start, page_end, digest)
SELECT $1, $2, $3, s.section_index, s.section_id, s.parent_index, s.level, s.heading, s.path,
       s.char_start, s.char_end, s.page_start, s.page_end, decode(s.digest, 'hex')
FROM jsonb_to_recordset($4::jsonb) AS s (
    section_index integer, section_id text, parent_index integer, level integer, heading text, path text[],
    char_start integer, char_end integer, page_start integer, page_end integer, digest text)

-- name: mark_parsed
-- Nobody gave the document a title: the one that stands in it is better than a file's name.
UPDATE document_versions v
SET state = 'parsed', file_type = $4, language = coalesce(v.language, $5), page_count = $6, page_count_estimated = $7,
    page_labels = $8, warnings = $9, pipeline_fingerprint = $11 || '-' || split_part(v.pipeline_fingerprint, '-', 2),
    title = CASE WHEN d.title_given THEN v.title ELSE coalesce($10, v.title) END
FROM documents d
WHERE v.org_id = $1 AND v.document_id = $2 AND v.version = $3 AND d.org_id = $1 AND d.document_id = $2

-- name: load_text
SELECT t.text, t.layout, t.removed, v.file_type, v.language, v.page_count, v.page_count_estimated, v.page_labels, v.warnings
FROM document_texts t JOIN document_versions v USING (org_id, document_id, version)
WHERE t.org_id = $1 AND t.document_id = $2 AND t.version = $3

-- name: load_sections
SELECT section_index, section_id, parent_index, level, heading, path, char_start, char_end, page_start, page_end
FROM document_sections WHERE org_id = $1 AND document_id = $2 AND version = $3 ORDER BY section_index

-- name: copy_text
INSERT INTO document_texts (org_id, document_id, version, text, layout, removed)
SELECT org_id, document_id, $4, text, layout, removed FROM document_texts
WHERE org_id = $1 AND document_id = $2 AND version = $3
RETURNING length(text)

-- name: copy_sections
INSERT INTO document_sections
    (org_id, document_id, version, section_index, section_id, parent_index, level, heading, path,
     char_start, char_end, page_start, page_end, digest)
SELECT org_id, document_id, $4, section_index, section_id, parent_index, level, heading, path,
       char_start, char_end, page_start, page_end, digest
FROM document_sections WHERE org_id = $1 AND document_id = $2 AND version = $3

-- name: mark_copied
UPDATE document_versions v
SET state = 'parsed', file_type = s.file_type, language = coalesce(v.language, s.language), page_count = s.page_count,
    page_count_estimated = s.page_count_estimated, page_labels = s.page_labels, warnings = s.warnings,
    title = CASE WHEN d.title_given THEN v.title ELSE s.title END
FROM document_versions s, documents d
WHERE v.org_id = $1 AND v.document_id = $2 AND v.version = $4
  AND s.org_id = $1 AND s.document_id = $2 AND s.version = $3 AND d.org_id = $1 AND d.document_id = $2

-- name: save_unindexed
UPDATE document_texts SET unindexed = $4 WHERE org_id = $1 AND document_id = $2 AND version = $3
