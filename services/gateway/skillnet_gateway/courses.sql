-- name: linkable
-- Those of the documents that a lesson may point at, held against deletion of their rows. $3: the groups of a key that is
-- limited to some, else NULL.
SELECT document_id FROM documents
WHERE org_id = $1 AND document_id = ANY ($2::uuid[]) AND deleted_at IS NULL AND source <> $4
  AND ($3::text[] IS NULL OR audience IS NULL OR audience && $3)
ORDER BY document_id FOR KEY SHARE

-- name: is_others
-- Whether a key limited to the groups $3 must not write to the course: it is, or may be, for others too. A course that
-- only documents have named may be named by some that the key does not see.
SELECT EXISTS (
    SELECT FROM courses c
    LEFT JOIN documents d ON d.org_id = c.org_id AND d.document_id = c.document_id AND d.deleted_at IS NULL
    WHERE c.org_id = $1 AND c.course_id = $2 AND (d.audience IS NULL OR NOT d.audience <@ $3::text[])
)

-- name: course_before
SELECT version, digest FROM courses WHERE org_id = $1 AND course_id = $2 AND document_id IS NOT NULL FOR UPDATE

-- name: put_course
INSERT INTO courses (org_id, course_id, title, description, document_id, document_version, version, digest)
VALUES ($1, $2, $3, $4, $5, $6, 1, $7)
ON CONFLICT (org_id, course_id) DO UPDATE
SET title = excluded.title, description = excluded.description, document_id = excluded.document_id,
    document_version = excluded.document_version, version = courses.version + 1, digest = excluded.digest,
    updated_at = now(), stale_since = NULL, stale_reason = NULL  -- who sends another course has looked at its sources
RETURNING version

-- name: move_document_version
-- The same course again, whose words had to be read anew.
UPDATE courses SET document_version = $3 WHERE org_id = $1 AND course_id = $2

-- name: clear_modules
DELETE FROM modules WHERE org_id = $1 AND course_id = $2

-- name: add_modules
INSERT INTO modules (org_id, course_id, module_id, title, summary, position)
SELECT $1, $2, m.module_id, m.title, m.summary, m.position
FROM unnest($3::text[], $4::text[], $5::text[]) WITH ORDINALITY AS m (module_id, title, summary, position)

-- name: add_lessons
INSERT INTO lessons (org_id, course_id, module_id, position, lesson_id, title, summary, content)
SELECT $1, $2, l.*
FROM unnest($3::text[], $4::integer[], $5::text[], $6::text[], $7::text[], $8::text[]) AS l

-- name: add_lesson_documents
INSERT INTO lesson_documents (org_id, course_id, lesson_id, position, document_id)
SELECT $1, $2, d.* FROM unnest($3::text[], $4::integer[], $5::uuid[]) AS d
ON CONFLICT DO NOTHING

-- name: unlink_documents
DELETE FROM course_documents
WHERE org_id = $1 AND course_id = $2 AND role = 'content' AND document_id <> ALL ($3::uuid[])

-- name: link_documents
INSERT INTO course_documents (org_id, course_id, document_id, role)
SELECT $1, $2, d.document_id, 'content' FROM unnest($3::uuid[]) AS d (document_id)
ON CONFLICT DO NOTHING

-- name: courses
-- Those that the asker sees: by their own words' audience, or, where there are none, by any document that names them.
-- $2: one of them; $3: those after this one; $4: whether the asker's key is limited to groups.
SELECT c.course_id, c.title, c.description, c.version, c.document_id, c.document_version, d.live_version,
       -- Which source changed may be hidden from a key that is limited to groups.
       CASE WHEN NOT $4::boolean THEN c.stale_since END AS stale_since,
       CASE WHEN NOT $4::boolean THEN c.stale_reason END AS stale_reason, c.created_at, c.updated_at,
       (SELECT count(*) FROM modules m WHERE m.org_id = $1 AND m.course_id = c.course_id) AS module_count,
       (SELECT count(*) FROM lessons l WHERE l.org_id = $1 AND l.course_id = c.course_id) AS lesson_count
FROM courses c
LEFT JOIN documents d ON d.org_id = c.org_id AND d.document_id = c.document_id AND d.deleted_at IS NULL
WHERE c.org_id = $1 AND ($2::text IS NULL OR c.course_id = $2) AND ($3::text IS NULL OR c.course_id > $3)
  AND (d.document_id IS NOT NULL
       OR c.document_id IS NULL AND (NOT $4::boolean OR EXISTS (
           SELECT FROM course_documents cd
           JOIN documents n ON n.org_id = cd.org_id AND n.document_id = cd.document_id AND n.deleted_at IS NULL
           WHERE cd.org_id = $1 AND cd.course_id = c.course_id)))
ORDER BY c.course_id LIMIT $5

-- name: modules_of
SELECT module_id, title, summary FROM modules WHERE org_id = $1 AND course_id = $2 ORDER BY position

-- name: lessons_of
SELECT l.module_id, l.lesson_id, l.title, l.summary, l.content,
       ARRAY (SELECT d.document_id FROM lesson_documents ld
              JOIN documents d ON d.org_id = ld.org_id AND d.document_id = ld.document_id AND d.deleted_at IS NULL
              WHERE ld.org_id = $1 AND ld.course_id = $2 AND ld.lesson_id = l.lesson_id
              ORDER BY ld.position) AS documents
FROM lessons l WHERE l.org_id = $1 AND l.course_id = $2 ORDER BY l.position

-- name: delete_course
DELETE FROM courses WHERE org_id = $1 AND course_id = $2
