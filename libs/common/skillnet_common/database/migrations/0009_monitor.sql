-- How much waits, for whoever scales the services: sums over all tenants, no row and no name of any.

-- Tokens of a model's embed work that the dispatcher has not released yet and could release now. Work that was put
-- off (a fault of the embeddings API, say) is left out: more embedders would not help it. NULL for a model that is
-- not registered, which an autoscaler reports as an error, where 0 would pass for "nothing to do".
CREATE FUNCTION waiting_tokens(p_model_slug text) RETURNS bigint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = skillnet, pg_temp AS $$
    SELECT (SELECT coalesce(sum(w.cost), 0) FROM skillnet.work w
            WHERE w.state = 'waiting' AND w.stage = 'embed' AND w.model_id = m.model_id AND w.not_before <= now())
    FROM skillnet.embedding_models m WHERE m.slug = p_model_slug
$$;
GRANT SELECT (cost) ON work TO skillnet_auth;
GRANT SELECT (model_id, slug) ON embedding_models TO skillnet_auth;
ALTER FUNCTION waiting_tokens(text) OWNER TO skillnet_auth;

-- As their owner: the migrator's REVOKE of a function that it has handed over does nothing but warn. The two older
-- functions were open to every role that logs in.
SET LOCAL ROLE skillnet_auth;
REVOKE ALL ON FUNCTION auth_lookup(bytea), waiting_elsewhere(text, integer, integer[], integer), waiting_tokens(text)
    FROM PUBLIC;
GRANT EXECUTE ON FUNCTION auth_lookup(bytea), waiting_elsewhere(text, integer, integer[], integer) TO skillnet_service;
GRANT EXECUTE ON FUNCTION waiting_tokens(text) TO skillnet_monitor;
RESET ROLE;

-- A dump reads every table and sequence, those without a tenant and the partitions of models to come included.
GRANT SELECT ON ALL TABLES IN SCHEMA skillnet TO skillnet_backup;
GRANT SELECT ON ALL SEQUENCES IN SCHEMA skillnet TO skillnet_backup;
ALTER DEFAULT PRIVILEGES IN SCHEMA skillnet GRANT SELECT ON TABLES TO skillnet_backup;
ALTER DEFAULT PRIVILEGES IN SCHEMA skillnet GRANT SELECT ON SEQUENCES TO skillnet_backup;
