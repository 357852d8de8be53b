-- What the dispatcher needs to fail a version, to move old vectors away and to remove what is past its time.

-- When a version stopped being of use, and when its vectors left the table that searches read.
ALTER TABLE document_versions ADD COLUMN ended_at timestamptz, ADD COLUMN archived_at timestamptz;
CREATE INDEX document_versions_to_archive ON document_versions (ended_at)
    WHERE state IN ('superseded', 'failed', 'cancelled') AND archived_at IS NULL;
CREATE INDEX document_versions_ended ON document_versions (org_id, document_id, version DESC)
    WHERE state IN ('superseded', 'failed', 'cancelled');
CREATE INDEX document_versions_open ON document_versions (org_id, document_id, version)
    WHERE state IN ('uploaded', 'parsed', 'embedding');
CREATE INDEX documents_deleted ON documents (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX outbox_sent ON outbox (sent_at) WHERE sent_at IS NOT NULL;
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);

-- Objects whose version is gone: written in the transaction that removes it, deleted from the store afterwards.
CREATE TABLE object_deletions (
    org_id     uuid NOT NULL,
    object_key text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    tried_at   timestamptz,   -- the last time the store refused: others go first
    PRIMARY KEY (org_id, object_key)
);
CALL protect_tenant_table('object_deletions');
GRANT SELECT, INSERT ON object_deletions TO skillnet_service;
CREATE POLICY dispatcher ON object_deletions TO skillnet_dispatcher USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE (tried_at), DELETE ON object_deletions TO skillnet_dispatcher;

-- To fail a version whose work was given up: what versions.sql reads under its locks, and nothing of the content.
GRANT SELECT (title_given, page_count, embedding_model) ON documents TO skillnet_dispatcher;
GRANT SELECT (title, file_name, file_type, language, page_count, page_count_estimated, expected_chunks, warnings,
              ended_at, archived_at),
      UPDATE (ended_at, archived_at)
    ON document_versions TO skillnet_dispatcher;

-- To remove a version's chunks in small steps; their text stays out of reach.
CREATE POLICY dispatcher ON document_chunks TO skillnet_dispatcher USING (true) WITH CHECK (true);
GRANT SELECT (org_id, chunk_id, document_id, version, chunk_index), DELETE ON document_chunks TO skillnet_dispatcher;

-- The streams that the dispatcher has sent to, told apart by when each was created (by the bus's own clock): a
-- stream created since has none of what was sent before.
CREATE TABLE known_streams (
    name       text PRIMARY KEY,
    created_at timestamptz NOT NULL
);
GRANT SELECT, INSERT, UPDATE ON known_streams TO skillnet_dispatcher;
GRANT SELECT ON known_streams TO skillnet_backup;
