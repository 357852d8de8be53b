-- Documents, their versions, and what a version consists of.

CREATE TABLE documents (
    org_id               uuid NOT NULL REFERENCES organizations,
    document_id          uuid NOT NULL,
    source               text NOT NULL CHECK (length(source) BETWEEN 1 AND 100),
    external_key         text NOT NULL CHECK (length(external_key) BETWEEN 1 AND 1000),
    title                text NOT NULL CHECK (length(title) BETWEEN 1 AND 500),
    title_given          boolean NOT NULL DEFAULT false,   -- by a person; else it is the file's own or its name
    file_type            text,
    page_count           integer,
    page_count_estimated boolean NOT NULL DEFAULT false,
    full_text            text,          -- of small documents: the direct path of a question
    language             text,
    processing_status    text NOT NULL DEFAULT 'pending'
                         CHECK (processing_status IN ('pending', 'processing', 'ready', 'failed')),
    embedding_model      text,
    embedding_dim        integer,
    subject_id           text,
    entity_id            text,
    taxonomy             text,
    metadata             jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(metadata) = 'object'),
    audience             text[],        -- groups that may see it; NULL: everyone in the organisation
    newest_version       integer NOT NULL DEFAULT 0,   -- the last number given out
    promoted_version     integer NOT NULL DEFAULT 0,   -- the highest version ever live: the fence
    live_version         integer,                      -- what readers see
    deleted_through      integer NOT NULL DEFAULT 0,   -- versions up to this one were deleted: nobody sees them again
    created_at           timestamptz NOT NULL DEFAULT now(),
    updated_at           timestamptz NOT NULL DEFAULT now(),
    deleted_at           timestamptz,
    PRIMARY KEY (org_id, document_id),
    UNIQUE (org_id, source, external_key),
    CHECK (deleted_at IS NULL OR live_version IS NULL)
);
CREATE INDEX documents_by_update ON documents (org_id, updated_at DESC, document_id);
CALL protect_tenant_table('documents');
-- Narrows what the tenant's policy lets through to what the asker may see.
CREATE POLICY audience ON documents AS RESTRICTIVE FOR SELECT TO skillnet_service
    USING (audience IS NULL OR '*' = ANY ((SELECT current_audience())::text[]) OR audience && (SELECT current_audience()));
GRANT SELECT, INSERT, UPDATE ON documents TO skillnet_service;

CREATE TABLE document_versions (
    org_id               uuid NOT NULL,
    document_id          uuid NOT NULL,
    version              integer NOT NULL CHECK (version > 0),
    state                text NOT NULL DEFAULT 'uploaded' CHECK (state IN
                         ('uploaded', 'parsed', 'embedding', 'ready', 'superseded', 'failed', 'cancelled')),
    file_name            text NOT NULL,
    file_type            text,
    object_key           text NOT NULL,
    content_sha256       bytea NOT NULL CHECK (length(content_sha256) = 32),
    size_bytes           bigint NOT NULL CHECK (size_bytes >= 0),
    pipeline_fingerprint text NOT NULL,   -- parser, cleaner, chunker, header, window; the model's is kept apart
    title                text NOT NULL,   -- as it stood at upload: part of the chunks' headers
    language             text,
    page_count           integer,
    page_count_estimated boolean NOT NULL DEFAULT false,
    page_labels          text[] NOT NULL DEFAULT '{}',
    warnings             text[] NOT NULL DEFAULT '{}',
    expected_chunks      integer CHECK (expected_chunks > 0),
    model_id             integer,         -- the model it was made ready with
    error_stage          text,
    error_code           text,
    error_message        text,
    created_at           timestamptz NOT NULL DEFAULT now(),
    ready_at             timestamptz,
    PRIMARY KEY (org_id, document_id, version),
    FOREIGN KEY (org_id, document_id) REFERENCES documents ON DELETE CASCADE,
    CHECK ((state IN ('failed', 'cancelled')) = (error_code IS NOT NULL))
);
CALL protect_tenant_table('document_versions');
GRANT SELECT, INSERT, UPDATE ON document_versions TO skillnet_service;

-- The canonical text of a version, and its lines and blocks (compact JSON: skillnet_common.documents.codec).
CREATE TABLE document_texts (
    org_id      uuid NOT NULL,
    document_id uuid NOT NULL,
    version     integer NOT NULL,
    text        text NOT NULL,
    layout      bytea NOT NULL,   -- zlib-compressed: lines with page and box, blocks
    PRIMARY KEY (org_id, document_id, version),
    FOREIGN KEY (org_id, document_id, version) REFERENCES document_versions ON DELETE CASCADE
);
CALL protect_tenant_table('document_texts');
GRANT SELECT, INSERT, DELETE ON document_texts TO skillnet_service;

CREATE TABLE document_sections (
    org_id        uuid NOT NULL,
    document_id   uuid NOT NULL,
    version       integer NOT NULL,
    section_index integer NOT NULL CHECK (section_index >= 0),
    section_id    text NOT NULL,
    parent_index  integer,
    level         integer NOT NULL CHECK (level >= 0),
    heading       text NOT NULL,
    path          text[] NOT NULL,
    char_start    integer NOT NULL,
    char_end      integer NOT NULL CHECK (char_end >= char_start),
    page_start    integer,
    page_end      integer,
    digest        bytea NOT NULL CHECK (length(digest) = 32),  -- of the section's own text: tells what an update changed
    PRIMARY KEY (org_id, document_id, version, section_index),
    FOREIGN KEY (org_id, document_id, version) REFERENCES document_versions ON DELETE CASCADE
);
CALL protect_tenant_table('document_sections');
GRANT SELECT, INSERT, DELETE ON document_sections TO skillnet_service;

CREATE TABLE document_chunks (
    org_id          uuid NOT NULL,
    chunk_id        uuid NOT NULL,    -- derived from (document, version, index): a redelivery writes the same row
    document_id     uuid NOT NULL,
    version         integer NOT NULL,
    chunk_index     integer NOT NULL CHECK (chunk_index >= 0),
    chunk_total     integer NOT NULL CHECK (chunk_total > chunk_index),
    kind            text NOT NULL,
    section_index   integer NOT NULL,
    section_id      text NOT NULL,
    section_path    text[] NOT NULL,
    heading         text NOT NULL,
    header          text NOT NULL,    -- stands before the body in the model's input only
    body            text NOT NULL CHECK (body <> ''),
    char_start      integer NOT NULL,
    char_end        integer NOT NULL CHECK (char_end > char_start),
    overlap_chars   integer NOT NULL DEFAULT 0,
    page_start      integer,
    page_end        integer,
    boxes           jsonb NOT NULL DEFAULT '[]',   -- [[page, x0, y0, x1, y1], ...] in fractions of the page
    token_count     integer NOT NULL CHECK (token_count > 0),
    language        text NOT NULL,
    metadata        jsonb NOT NULL DEFAULT '{}',
    content_hash    bytea NOT NULL CHECK (length(content_hash) = 32),   -- SHA-256 of the body
    embed_hash      bytea NOT NULL CHECK (length(embed_hash) = 32),     -- SHA-256 of the exact model input
    PRIMARY KEY (org_id, chunk_id),
    UNIQUE (org_id, document_id, version, chunk_index),
    FOREIGN KEY (org_id, document_id, version) REFERENCES document_versions ON DELETE CASCADE
);
CREATE INDEX document_chunks_embed_hash ON document_chunks (org_id, embed_hash);
CALL protect_tenant_table('document_chunks');
GRANT SELECT, INSERT, DELETE ON document_chunks TO skillnet_service;

-- A retried upload with the same Idempotency-Key gets the first one's reply.
CREATE TABLE idempotency_keys (
    org_id       uuid NOT NULL REFERENCES organizations,
    key          text NOT NULL CHECK (length(key) BETWEEN 1 AND 200),
    request_hash bytea NOT NULL,
    document_id  uuid NOT NULL,
    version      integer NOT NULL,
    outcome      text NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (org_id, key)
);
CALL protect_tenant_table('idempotency_keys');
GRANT SELECT, INSERT ON idempotency_keys TO skillnet_service;

-- Courses that use documents. The platform owns courses; a row appears when a document first names one.
CREATE TABLE courses (
    org_id       uuid NOT NULL REFERENCES organizations,
    course_id    text NOT NULL CHECK (length(course_id) BETWEEN 1 AND 200),
    title        text NOT NULL,
    stale_since  timestamptz,
    stale_reason text,
    created_at   timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (org_id, course_id)
);
CALL protect_tenant_table('courses');
GRANT SELECT, INSERT, UPDATE ON courses TO skillnet_service;

CREATE TABLE course_documents (
    org_id      uuid NOT NULL,
    course_id   text NOT NULL,
    document_id uuid NOT NULL,
    role        text NOT NULL DEFAULT 'source' CHECK (role IN ('source', 'content')),
    PRIMARY KEY (org_id, course_id, document_id),
    FOREIGN KEY (org_id, course_id) REFERENCES courses ON DELETE CASCADE,
    FOREIGN KEY (org_id, document_id) REFERENCES documents ON DELETE CASCADE
);
CREATE INDEX course_documents_by_document ON course_documents (org_id, document_id);
CALL protect_tenant_table('course_documents');
GRANT SELECT, INSERT, DELETE ON course_documents TO skillnet_service;
