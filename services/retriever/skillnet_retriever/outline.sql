-- $1 is always the organisation.

-- name: course
-- The document of a course's words, as far as it is live and the asker may see it, and what its lessons point at:
-- nothing while questions see older words than the lessons that are kept.
SELECT c.document_id,
       ARRAY(SELECT ROW(m.position, l.position, ld.document_id)
             FROM lesson_documents ld
             JOIN lessons l ON l.org_id = $1 AND l.course_id = $2 AND l.lesson_id = ld.lesson_id
             JOIN modules m ON m.org_id = $1 AND m.course_id = $2 AND m.module_id = l.module_id
             WHERE ld.org_id = $1 AND ld.course_id = $2 AND d.live_version >= c.document_version
             ORDER BY m.position, l.position, ld.position) AS links
FROM courses c
JOIN documents d ON d.org_id = $1 AND d.document_id = c.document_id AND d.live_version IS NOT NULL
                AND d.deleted_at IS NULL
WHERE c.org_id = $1 AND c.course_id = $2

-- name: chunks
-- Of the scope's documents, in reading order.
SELECT s.document_id, s.place, c.chunk_index, c.chunk_id, c.section_index, c.token_count
FROM scope s
JOIN document_chunks c ON c.org_id = $1 AND c.document_id = s.document_id AND c.version = s.version
ORDER BY s.place, c.chunk_index LIMIT $2

-- name: sections
SELECT s.document_id, d.title, x.section_index, x.section_id, x.path
FROM scope s
JOIN documents d ON d.org_id = $1 AND d.document_id = s.document_id
JOIN document_sections x ON x.org_id = $1 AND x.document_id = s.document_id AND x.version = s.version
WHERE s.document_id = ANY ($2::uuid[])
ORDER BY s.place, x.section_index
