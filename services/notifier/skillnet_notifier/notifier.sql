-- name: titles
-- A course is no source of itself: $3 is the document that changed.
SELECT course_id, title FROM courses
WHERE org_id = $1 AND course_id = ANY ($2::text[]) AND document_id IS DISTINCT FROM $3 ORDER BY course_id

-- name: notify
INSERT INTO notifications (org_id, event_id, course_id, document_id, text)
VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING

-- name: mark_stale
-- Stale since the first change that nobody has looked at; the reason is the last one's.
UPDATE courses SET stale_since = coalesce(stale_since, $3), stale_reason = $4
WHERE org_id = $1 AND course_id = $2

-- name: record_event
INSERT INTO outbox (org_id, event_id, type, subject, document_id, payload)
VALUES ($1, $2, 'course.review_requested', $3, $4, $5::jsonb)
