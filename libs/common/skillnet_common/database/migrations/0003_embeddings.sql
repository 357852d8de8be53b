-- Embedding models and their vectors, one partition a model, narrow rows.

CREATE TABLE embedding_models (
    model_id    integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    slug        text NOT NULL UNIQUE,          -- safe in a NATS subject
    fingerprint text NOT NULL UNIQUE,          -- of weights, tokenizer, prefixes, pooling, dimension, window
    name        text NOT NULL,
    dimension   integer NOT NULL CHECK (dimension BETWEEN 1 AND 4000),
    identity    jsonb NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT now()
);
GRANT SELECT ON embedding_models TO skillnet_service, skillnet_dispatcher, skillnet_backup;

-- The one pointer of the deployment to the model that serves.
CREATE TABLE serving_model (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    model_id integer NOT NULL REFERENCES embedding_models
);
GRANT SELECT ON serving_model TO skillnet_service, skillnet_dispatcher, skillnet_backup;

CREATE TABLE chunk_embeddings (
    org_id      uuid NOT NULL,
    model_id    integer NOT NULL,
    chunk_id    uuid NOT NULL,
    document_id uuid NOT NULL,
    version     integer NOT NULL,
    embedding   halfvec NOT NULL,
    PRIMARY KEY (org_id, model_id, chunk_id),
    FOREIGN KEY (org_id, chunk_id) REFERENCES document_chunks ON DELETE CASCADE
) PARTITION BY LIST (model_id);
CREATE INDEX chunk_embeddings_by_version ON chunk_embeddings (org_id, document_id, version);
CALL protect_tenant_table('chunk_embeddings');
GRANT SELECT, INSERT, DELETE ON chunk_embeddings TO skillnet_service;

-- Vectors of superseded versions: out of the way of exact search, kept for roll-back and reuse.
CREATE TABLE chunk_embeddings_archive (
    org_id      uuid NOT NULL,
    model_id    integer NOT NULL REFERENCES embedding_models,
    chunk_id    uuid NOT NULL,
    document_id uuid NOT NULL,
    version     integer NOT NULL,
    embedding   halfvec NOT NULL,
    PRIMARY KEY (org_id, model_id, chunk_id),
    FOREIGN KEY (org_id, chunk_id) REFERENCES document_chunks ON DELETE CASCADE
);
CREATE INDEX chunk_embeddings_archive_by_version ON chunk_embeddings_archive (org_id, document_id, version);
CALL protect_tenant_table('chunk_embeddings_archive');
GRANT SELECT, INSERT, DELETE ON chunk_embeddings_archive TO skillnet_service;

-- Registers a model and its partition; the first one registered serves. Run by the migrator only.
CREATE FUNCTION register_model(p_slug text, p_fingerprint text, p_name text, p_dimension integer, p_identity jsonb)
RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    id integer;
    part text;
BEGIN
    LOCK TABLE embedding_models IN SHARE ROW EXCLUSIVE MODE;
    SELECT model_id INTO id FROM embedding_models WHERE fingerprint = p_fingerprint;
    IF FOUND THEN
        RETURN id;
    END IF;
    INSERT INTO embedding_models (slug, fingerprint, name, dimension, identity)
    VALUES (p_slug, p_fingerprint, p_name, p_dimension, p_identity) RETURNING model_id INTO id;
    part := 'chunk_embeddings_' || id;
    EXECUTE format('CREATE TABLE %I PARTITION OF chunk_embeddings FOR VALUES IN (%s)', part, id);
    -- Vectors stay in the row: a second fetch per row makes an exact scan five times slower.
    EXECUTE format('ALTER TABLE %I ALTER COLUMN embedding SET STORAGE PLAIN', part);
    EXECUTE format('ALTER TABLE %I ADD CHECK (vector_dims(embedding) = %s)', part, p_dimension);
    -- A partition reached by its own name must be as closed as its parent.
    CALL protect_tenant_table(part::regclass);
    INSERT INTO serving_model (model_id) VALUES (id) ON CONFLICT DO NOTHING;
    RETURN id;
END
$$;
REVOKE ALL ON FUNCTION register_model FROM PUBLIC;

-- Holds the pointer still while a version is made ready. Row locks need the right to update, which services
-- do not have: hence SECURITY DEFINER.
CREATE FUNCTION hold_serving_model() RETURNS integer
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = skillnet, pg_temp AS $$
    SELECT model_id FROM skillnet.serving_model FOR SHARE
$$;
REVOKE ALL ON FUNCTION hold_serving_model() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION hold_serving_model() TO skillnet_service;
