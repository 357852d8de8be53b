-- Work and events: one table of what is to be done, one outbox of what has happened.

CREATE TABLE work (
    org_id      uuid NOT NULL,
    work_id     uuid NOT NULL DEFAULT uuidv7(),
    stage       text NOT NULL CHECK (stage IN ('parse', 'chunk', 'embed')),
    document_id uuid NOT NULL,
    version     integer NOT NULL,
    model_id    integer REFERENCES embedding_models,      -- of embed work
    chunk_ids   uuid[] NOT NULL DEFAULT '{}',             -- of embed work
    cost        integer NOT NULL DEFAULT 1,               -- tokens to embed, or bytes/1024 to parse
    state       text NOT NULL DEFAULT 'waiting' CHECK (state IN
                ('waiting', 'released', 'claimed', 'done', 'failed', 'cancelled', 'quarantined')),
    attempts    integer NOT NULL DEFAULT 0,               -- counted at claims
    not_before  timestamptz NOT NULL DEFAULT now(),
    releases    integer NOT NULL DEFAULT 0,
    released_at timestamptz,
    released_seq bigint,                                  -- its place in the stream, to be looked up there
    claim_token uuid,
    claimed_by  text,
    lease_until timestamptz,
    last_error  text,
    created_at  timestamptz NOT NULL DEFAULT now(),
    done_at     timestamptz,
    PRIMARY KEY (org_id, work_id),
    FOREIGN KEY (org_id, document_id, version) REFERENCES document_versions ON DELETE CASCADE,
    CHECK ((state = 'claimed') = (claim_token IS NOT NULL)),
    CHECK ((stage = 'embed') = (model_id IS NOT NULL)),
    CHECK ((stage = 'embed') = (cardinality(chunk_ids) > 0))
);
CREATE UNIQUE INDEX work_once_a_stage ON work (org_id, document_id, version, stage) WHERE stage <> 'embed';
CREATE INDEX work_by_version ON work (org_id, document_id, version);
-- The dispatcher's three questions: what waits, what is out, whose lease ran out.
CREATE INDEX work_waiting ON work (stage, org_id, work_id) WHERE state = 'waiting';
CREATE INDEX work_released ON work (stage, released_at) WHERE state = 'released';
CREATE INDEX work_claimed ON work (lease_until) WHERE state = 'claimed';
CALL protect_tenant_table('work');
GRANT SELECT, INSERT, UPDATE ON work TO skillnet_service;

CREATE TABLE outbox (
    org_id      uuid NOT NULL,
    outbox_seq  bigint GENERATED ALWAYS AS IDENTITY,   -- drawn under the document's lock: serial per document
    event_id    uuid NOT NULL DEFAULT uuidv7(),        -- stable: the id every delivery carries
    type        text NOT NULL,
    subject     text NOT NULL,
    document_id uuid,
    version     integer,
    payload     jsonb NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT now(),
    sent_at     timestamptz,
    PRIMARY KEY (org_id, outbox_seq)
);
CREATE INDEX outbox_unsent ON outbox (outbox_seq) WHERE sent_at IS NULL;
CREATE UNIQUE INDEX outbox_one_event_a_version ON outbox (org_id, document_id, version)
    WHERE type = 'document.updated' AND payload ->> 'change' <> 'metadata';
CALL protect_tenant_table('outbox');
GRANT SELECT, INSERT ON outbox TO skillnet_service;

-- Running instances: sizes the window of released work, and answers `skillnet status`. No tenant data.
CREATE TABLE instances (
    instance_id text PRIMARY KEY,
    service     text NOT NULL,
    capacity    integer NOT NULL,
    started_at  timestamptz NOT NULL DEFAULT now(),
    seen_at     timestamptz NOT NULL DEFAULT now()
);
GRANT SELECT, INSERT, UPDATE, DELETE ON instances TO skillnet_service, skillnet_dispatcher;

CREATE TABLE notifications (
    org_id      uuid NOT NULL REFERENCES organizations,
    event_id    uuid NOT NULL,       -- of the event it tells of: a redelivery adds nothing
    course_id   text NOT NULL,
    document_id uuid NOT NULL,
    text        text NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT now(),
    read_at     timestamptz,
    PRIMARY KEY (org_id, event_id, course_id)
);
CALL protect_tenant_table('notifications');
GRANT SELECT, INSERT, UPDATE ON notifications TO skillnet_service;

-- The dispatcher sees every tenant's work and events but no document's content.
CREATE POLICY dispatcher ON work TO skillnet_dispatcher USING (true) WITH CHECK (true);
CREATE POLICY dispatcher ON outbox TO skillnet_dispatcher USING (true) WITH CHECK (true);
CREATE POLICY dispatcher ON documents TO skillnet_dispatcher USING (true) WITH CHECK (true);
CREATE POLICY dispatcher ON document_versions TO skillnet_dispatcher USING (true) WITH CHECK (true);
CREATE POLICY dispatcher ON chunk_embeddings TO skillnet_dispatcher USING (true) WITH CHECK (true);
CREATE POLICY dispatcher ON chunk_embeddings_archive TO skillnet_dispatcher USING (true) WITH CHECK (true);
CREATE POLICY dispatcher ON idempotency_keys TO skillnet_dispatcher USING (true);
GRANT SELECT, UPDATE, DELETE ON work TO skillnet_dispatcher;
GRANT SELECT, INSERT, UPDATE, DELETE ON outbox TO skillnet_dispatcher;
GRANT SELECT (org_id, document_id, live_version, newest_version, promoted_version, processing_status, deleted_at,
              updated_at, source, external_key, title)
    ON documents TO skillnet_dispatcher;
GRANT UPDATE (processing_status, updated_at) ON documents TO skillnet_dispatcher;
GRANT SELECT (org_id, document_id, version, state, object_key, created_at, ready_at, error_code),
      UPDATE (state, error_stage, error_code, error_message), DELETE
    ON document_versions TO skillnet_dispatcher;
GRANT SELECT, DELETE ON chunk_embeddings TO skillnet_dispatcher;
GRANT SELECT, INSERT, DELETE ON chunk_embeddings_archive TO skillnet_dispatcher;
GRANT SELECT (org_id, key, created_at), DELETE ON idempotency_keys TO skillnet_dispatcher;

-- Wake-ups are hints without payload; polling is the truth.
CREATE FUNCTION hint_work() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN PERFORM pg_notify('skillnet_work', ''); RETURN NULL; END $$;
CREATE TRIGGER hint AFTER INSERT ON work FOR EACH STATEMENT EXECUTE FUNCTION hint_work();

CREATE FUNCTION hint_outbox() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN PERFORM pg_notify('skillnet_outbox', ''); RETURN NULL; END $$;
CREATE TRIGGER hint AFTER INSERT ON outbox FOR EACH STATEMENT EXECUTE FUNCTION hint_outbox();
