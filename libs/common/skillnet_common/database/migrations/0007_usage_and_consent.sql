-- What an organisation uses, the prompt its answers are written with, and when a key was last seen.

ALTER TABLE api_keys
    ADD COLUMN last_used_at timestamptz,   -- to the minute or so: written at most that often
    ADD COLUMN created_by uuid;            -- the key it was made with; NULL: made beside the API

-- Counters a day. A counter is spread over a few slots, one chosen at random by each writer, so that no row is hot;
-- its value is the sum of its slots.
CREATE TABLE usage_counts (
    org_id    uuid NOT NULL REFERENCES organizations,
    day       date NOT NULL,                       -- in UTC
    kind      text NOT NULL CHECK (length(kind) BETWEEN 1 AND 40),
    estimated boolean NOT NULL,                    -- counted here, since the provider did not say
    slot      smallint NOT NULL,
    amount    bigint NOT NULL CHECK (amount >= 0),
    PRIMARY KEY (org_id, day, kind, estimated, slot)
) WITH (fillfactor = 60);                          -- room for updates beside the row
CALL protect_tenant_table('usage_counts');
GRANT SELECT, INSERT, UPDATE ON usage_counts TO skillnet_service;

-- Every template there ever was; the highest version holds. NULL is the return to the system's own.
CREATE TABLE prompt_templates (
    org_id     uuid NOT NULL REFERENCES organizations,
    version    integer NOT NULL CHECK (version > 0),
    template   text CHECK (length(template) BETWEEN 1 AND 20000),
    created_at timestamptz NOT NULL DEFAULT now(),
    created_by uuid NOT NULL,                      -- the key that set it
    PRIMARY KEY (org_id, version)
);
CALL protect_tenant_table('prompt_templates');
GRANT SELECT, INSERT ON prompt_templates TO skillnet_service;
