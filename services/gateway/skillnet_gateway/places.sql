-- name: next_pieces
-- Of each version under way: whether a piece of its work is out with the workers, else the first that is due.
SELECT w.document_id, w.stage, w.model_id, bool_or(w.state IN ('released', 'claimed')) AS is_out,
       (array_agg(w.work_id ORDER BY w.work_id)
        FILTER (WHERE w.state = 'waiting' AND w.not_before <= now()))[1] AS next
FROM work w JOIN unnest($2::uuid[], $3::integer[]) AS asked (document_id, version) USING (document_id, version)
WHERE w.org_id = $1 AND w.state IN ('waiting', 'released', 'claimed')
GROUP BY w.document_id, w.stage, w.model_id

-- name: own_places
-- The place of each of $4 in the organisation's own queue of a stage and a model, counted from 0.
SELECT work_id, place FROM (
    SELECT work_id, row_number() OVER (ORDER BY work_id) - 1 AS place FROM (
        SELECT work_id FROM work
        WHERE org_id = $1 AND stage = $2 AND model_id IS NOT DISTINCT FROM $3 AND state = 'waiting'
          AND not_before <= now()
        ORDER BY work_id LIMIT $5
    ) AS first_ones
) AS places
WHERE work_id = ANY ($4::uuid[])

-- name: elsewhere
SELECT turn, pieces FROM waiting_elsewhere($1, $2, $3::integer[], $4)
