-- name: version_read
-- The named version, else the live one, else the newest.
SELECT v.version, CASE WHEN v.version = d.live_version THEN d.title ELSE v.title END AS title, v.page_count,
       v.page_count_estimated, v.page_labels, v.expected_chunks
FROM documents d
JOIN document_versions v ON v.org_id = d.org_id AND v.document_id = d.document_id
     AND v.version = coalesce($3, d.live_version, d.newest_version) AND v.version > d.deleted_through
WHERE d.org_id = $1 AND d.document_id = $2 AND d.deleted_at IS NULL

-- name: outline
SELECT s.section_index, s.section_id, p.section_id AS parent_id, s.level, s.heading, s.path, s.page_start, s.page_end,
       s.char_start, s.char_end
FROM document_sections s
LEFT JOIN document_sections p ON p.org_id = s.org_id AND p.document_id = s.document_id AND p.version = s.version
     AND p.section_index = s.parent_index
WHERE s.org_id = $1 AND s.document_id = $2 AND s.version = $3
ORDER BY s.section_index

-- name: left_out
SELECT removed, unindexed FROM document_texts WHERE org_id = $1 AND document_id = $2 AND version = $3

-- name: chunks_from
SELECT c.chunk_id, c.document_id, c.version, c.chunk_index, c.kind, c.section_id, c.section_path, c.body,
       c.overlap_chars, c.header, c.page_start, c.page_end, c.char_start, c.char_end, c.boxes, c.token_count, c.language,
       c.ocr
FROM document_chunks c
WHERE c.org_id = $1 AND c.document_id = $2 AND c.version = $3 AND c.chunk_index >= $4
ORDER BY c.chunk_index LIMIT $5

-- name: chunk
SELECT c.chunk_id, c.document_id, c.version, c.chunk_index, c.kind, c.section_id, c.section_path, c.body,
       c.overlap_chars, c.header, c.page_start, c.page_end, c.char_start, c.char_end, c.boxes, c.token_count, c.language,
       c.ocr, v.page_labels
FROM documents d
JOIN document_chunks c ON c.org_id = d.org_id AND c.document_id = d.document_id AND c.version > d.deleted_through
JOIN document_versions v ON v.org_id = d.org_id AND v.document_id = d.document_id AND v.version = c.version
WHERE d.org_id = $1 AND d.document_id = $2 AND d.deleted_at IS NULL AND c.chunk_id = $3
