-- Work that was given up can be looked through and replayed; documents under way are told their place in the queue.

CREATE INDEX work_quarantined ON work (org_id, work_id) WHERE state = 'quarantined';

-- A version whose chunks are partly cleaned up is replayed from the beginning: its later work goes with them.
GRANT DELETE ON work TO skillnet_service;

-- How many pieces of work other organisations have waiting that come before a place in the caller's own queue, when
-- every organisation is served in turn: of each as many as the place's turns. Only the sum leaves this function. At
-- most `most` pieces of an organisation are counted, and the last step along the index ends it.
CREATE FUNCTION waiting_elsewhere(p_stage text, p_model_id integer, turns integer[], most integer)
RETURNS TABLE (turn integer, pieces bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = skillnet, pg_temp AS $$
    WITH RECURSIVE tenants AS (
        (SELECT org_id FROM skillnet.work WHERE state = 'waiting' AND stage = p_stage ORDER BY org_id LIMIT 1)
        UNION ALL
        SELECT (SELECT w.org_id FROM skillnet.work w
                WHERE w.state = 'waiting' AND w.stage = p_stage AND w.org_id > t.org_id ORDER BY w.org_id LIMIT 1)
        FROM tenants t WHERE t.org_id IS NOT NULL
    ), queues AS MATERIALIZED (
        SELECT (SELECT count(*) FROM (
                    SELECT FROM skillnet.work w
                    WHERE w.state = 'waiting' AND w.stage = p_stage AND w.org_id = t.org_id
                      AND w.model_id IS NOT DISTINCT FROM p_model_id AND w.not_before <= now()
                    LIMIT least((SELECT max(one) FROM unnest(turns) AS one), most)
                ) AS first_ones) AS length
        FROM tenants t WHERE t.org_id <> skillnet.current_org()
    )
    SELECT asked.turn, coalesce((SELECT sum(least(q.length, asked.turn)) FROM queues q), 0)::bigint
    FROM (SELECT DISTINCT one AS turn FROM unnest(turns) AS one) asked
$$;
GRANT SELECT (org_id, stage, model_id, state, not_before) ON work TO skillnet_auth;
ALTER FUNCTION waiting_elsewhere(text, integer, integer[], integer) OWNER TO skillnet_auth;
REVOKE ALL ON FUNCTION waiting_elsewhere(text, integer, integer[], integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION waiting_elsewhere(text, integer, integer[], integer) TO skillnet_service;
