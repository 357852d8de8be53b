-- name: released
SELECT org_id, work_id, releases, released_seq FROM work
WHERE state = 'released' AND released_at < now() - $1 * interval '1 second'
ORDER BY released_at

-- name: wait_again
WITH gone AS (
    SELECT w.org_id, w.work_id
    FROM work w JOIN unnest($1::uuid[], $2::uuid[], $3::integer[]) AS g (org_id, work_id, releases)
      ON g.org_id = w.org_id AND g.work_id = w.work_id AND g.releases = w.releases
    WHERE w.state = 'released'
    FOR UPDATE OF w SKIP LOCKED
)
UPDATE work w SET state = 'waiting', released_seq = NULL
FROM gone WHERE w.org_id = gone.org_id AND w.work_id = gone.work_id
