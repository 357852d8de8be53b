-- Who may see what: the tenant of a transaction, organisations and their API keys.

-- The tenant is set for one transaction (SET LOCAL skillnet.org_id). Unset is an error, never an empty result.
CREATE FUNCTION current_org() RETURNS uuid
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
    value text := current_setting('skillnet.org_id', true);
BEGIN
    IF value IS NULL OR value = '' THEN
        RAISE EXCEPTION 'no tenant is set for this transaction'
            USING ERRCODE = 'SN001', HINT = 'Open it with Database.tenant(org_id).';
    END IF;
    RETURN value::uuid;
END
$$;

-- Used beside `org_id = (SELECT current_org())` in every policy: as a qualifier without columns it is checked
-- once before a scan starts, so that an unset tenant raises on an empty table too.
CREATE FUNCTION tenant_is_set() RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE AS $$ SELECT current_org() IS NOT NULL $$;

-- What the asker may see inside the organisation: a comma-separated list of groups, or '*' for everything.
-- Unset means only what every member may see.
CREATE FUNCTION current_audience() RETURNS text[]
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT string_to_array(coalesce(current_setting('skillnet.audience', true), ''), ',')
$$;

-- Every table of tenant data: row-level security that binds its owner too, and the tenant's policy for services.
CREATE PROCEDURE protect_tenant_table(target regclass)
LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', target);
    EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', target);
    EXECUTE format(
        'CREATE POLICY tenant ON %s TO skillnet_service'
        ' USING (org_id = (SELECT current_org()) AND (SELECT tenant_is_set()))'
        ' WITH CHECK (org_id = (SELECT current_org()))', target);
    EXECUTE format('GRANT SELECT ON %s TO skillnet_backup', target);
END
$$;

CREATE TABLE organizations (
    org_id     uuid PRIMARY KEY,
    name       text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    settings   jsonb NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT now()
);
CALL protect_tenant_table('organizations');
GRANT SELECT, INSERT, UPDATE ON organizations TO skillnet_service;

CREATE TABLE api_keys (
    org_id     uuid NOT NULL REFERENCES organizations,
    key_id     uuid NOT NULL DEFAULT uuidv7(),
    key_hash   bytea NOT NULL CHECK (length(key_hash) = 32),  -- SHA-256 of the whole key; keys hold 256 random bits
    key_hint   text NOT NULL,                                  -- its first characters, to tell keys apart
    name       text NOT NULL,
    scopes     text[] NOT NULL,
    audience   text[],                                         -- groups whose documents it sees; NULL: everything
    expires_at timestamptz,
    revoked_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (org_id, key_id)
);
CREATE UNIQUE INDEX api_keys_hash ON api_keys (key_hash);
CALL protect_tenant_table('api_keys');
GRANT SELECT, INSERT, UPDATE ON api_keys TO skillnet_service;

-- The only way across tenants: turns the hash of a key into its tenant and rights.
CREATE FUNCTION auth_lookup(hash bytea)
RETURNS TABLE (org_id uuid, key_id uuid, scopes text[], audience text[])
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = skillnet, pg_temp AS $$
    SELECT k.org_id, k.key_id, k.scopes, k.audience
    FROM skillnet.api_keys k
    WHERE k.key_hash = hash
      AND k.revoked_at IS NULL
      AND (k.expires_at IS NULL OR k.expires_at > now())
$$;
GRANT SELECT ON api_keys TO skillnet_auth;
ALTER FUNCTION auth_lookup(bytea) OWNER TO skillnet_auth;
REVOKE ALL ON FUNCTION auth_lookup(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION auth_lookup(bytea) TO skillnet_service;
