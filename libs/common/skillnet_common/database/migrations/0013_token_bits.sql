-- Late interaction: of each chunk the vectors of its tokens, as one sign bit a value, one partition a model.
-- Read by the key alone, so bits of superseded versions stay where they are until their chunks are deleted.

CREATE TABLE chunk_token_bits (
    org_id     uuid NOT NULL,
    chunk_id   uuid NOT NULL,
    model_id   integer NOT NULL,
    token_bits bytea NOT NULL CHECK (length(token_bits) > 0),  -- a token after the other, each dimension / 8 bytes
    PRIMARY KEY (org_id, chunk_id, model_id),                  -- in this order it serves the cascade too
    FOREIGN KEY (org_id, chunk_id) REFERENCES document_chunks ON DELETE CASCADE
) PARTITION BY LIST (model_id);
-- Sign bits cannot be compressed: not even an attempt is made. Partitions take this over.
ALTER TABLE chunk_token_bits ALTER COLUMN token_bits SET STORAGE EXTERNAL;
CALL protect_tenant_table('chunk_token_bits');
GRANT SELECT, INSERT, DELETE ON chunk_token_bits TO skillnet_service;

-- Run by the migrator only.
CREATE PROCEDURE add_token_bits_partition(model integer)
LANGUAGE plpgsql AS $$
DECLARE
    part text := 'chunk_token_bits_' || model;
BEGIN
    EXECUTE format('CREATE TABLE %I PARTITION OF chunk_token_bits FOR VALUES IN (%s)', part, model);
    -- A partition reached by its own name must be as closed as its parent.
    CALL protect_tenant_table(part::regclass);
END
$$;
REVOKE ALL ON PROCEDURE add_token_bits_partition FROM PUBLIC;

CREATE FUNCTION add_token_bits_partition() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    CALL add_token_bits_partition(NEW.model_id);
    RETURN NULL;
END
$$;
CREATE TRIGGER token_bits AFTER INSERT ON embedding_models FOR EACH ROW EXECUTE FUNCTION add_token_bits_partition();

DO $$
DECLARE
    model integer;
BEGIN
    FOR model IN SELECT model_id FROM embedding_models LOOP
        CALL add_token_bits_partition(model);
    END LOOP;
END
$$;
