-- Courses as the platform sends them: modules and lessons. The words of a course are the document `document_id` (source
-- `course`), so that its passages are cited, embedded and filtered as any other's.

ALTER TABLE courses
    ADD COLUMN description text NOT NULL DEFAULT '',
    ADD COLUMN document_id uuid,          -- NULL: only documents have named the course so far
    ADD COLUMN document_version integer,  -- the version of its document that the modules and lessons below are
    ADD COLUMN version integer NOT NULL DEFAULT 0,
    ADD COLUMN digest bytea CHECK (length(digest) = 32),   -- of the course as it was sent: the same again changes nothing
    ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now(),
    ADD CHECK ((document_id IS NULL) = (document_version IS NULL)),
    ADD FOREIGN KEY (org_id, document_id) REFERENCES documents ON DELETE CASCADE;
CREATE INDEX courses_by_document ON courses (org_id, document_id);
GRANT DELETE ON courses TO skillnet_service;

CREATE TABLE modules (
    org_id    uuid NOT NULL,
    course_id text NOT NULL,
    module_id text NOT NULL CHECK (length(module_id) BETWEEN 1 AND 200),
    position  integer NOT NULL CHECK (position > 0),
    title     text NOT NULL CHECK (length(title) BETWEEN 1 AND 500),
    summary   text NOT NULL DEFAULT '',
    PRIMARY KEY (org_id, course_id, module_id),
    UNIQUE (org_id, course_id, position),
    FOREIGN KEY (org_id, course_id) REFERENCES courses ON DELETE CASCADE
);
CALL protect_tenant_table('modules');
GRANT SELECT, INSERT, DELETE ON modules TO skillnet_service;

CREATE TABLE lessons (
    org_id    uuid NOT NULL,
    course_id text NOT NULL,
    lesson_id text NOT NULL CHECK (length(lesson_id) BETWEEN 1 AND 200),
    module_id text NOT NULL,
    position  integer NOT NULL CHECK (position > 0),   -- in its module
    title     text NOT NULL CHECK (length(title) BETWEEN 1 AND 500),
    summary   text NOT NULL DEFAULT '',
    content   text NOT NULL DEFAULT '',
    PRIMARY KEY (org_id, course_id, lesson_id),
    UNIQUE (org_id, course_id, module_id, position),
    FOREIGN KEY (org_id, course_id, module_id) REFERENCES modules ON DELETE CASCADE
);
CALL protect_tenant_table('lessons');
GRANT SELECT, INSERT, DELETE ON lessons TO skillnet_service;

-- Documents that a lesson points at. They belong to the course besides: `course_documents` with the role `content`,
-- unless they name the course themselves (`source`).
CREATE TABLE lesson_documents (
    org_id      uuid NOT NULL,
    course_id   text NOT NULL,
    lesson_id   text NOT NULL,
    document_id uuid NOT NULL,
    position    integer NOT NULL CHECK (position > 0),
    PRIMARY KEY (org_id, course_id, lesson_id, document_id),
    FOREIGN KEY (org_id, course_id, lesson_id) REFERENCES lessons ON DELETE CASCADE,
    FOREIGN KEY (org_id, document_id) REFERENCES documents ON DELETE CASCADE
);
CREATE INDEX lesson_documents_by_document ON lesson_documents (org_id, document_id);
CALL protect_tenant_table('lesson_documents');
GRANT SELECT, INSERT, DELETE ON lesson_documents TO skillnet_service;
GRANT UPDATE (role) ON course_documents TO skillnet_service;
