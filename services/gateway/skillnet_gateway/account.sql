-- What belongs to the organisation itself. $1 is always the organisation.

-- name: organization
SELECT org_id, name, settings FROM organizations WHERE org_id = $1

-- name: change_organization
UPDATE organizations SET name = coalesce($2, name), settings = settings || $3::jsonb
WHERE org_id = $1
RETURNING org_id, name, settings

-- name: organization_and_template
SELECT o.org_id, o.name, o.settings,
       (SELECT p.template FROM prompt_templates p WHERE p.org_id = o.org_id ORDER BY p.version DESC LIMIT 1) AS template
FROM organizations o WHERE o.org_id = $1

-- name: hold_organization
-- One change of its keys or its template at a time.
SELECT FROM organizations WHERE org_id = $1 FOR NO KEY UPDATE

-- name: newest_template
SELECT version, template, created_at, created_by FROM prompt_templates
WHERE org_id = $1 ORDER BY version DESC LIMIT 1

-- name: templates
SELECT version, template, created_at, created_by FROM prompt_templates
WHERE org_id = $1 ORDER BY version DESC LIMIT 100

-- name: add_template
INSERT INTO prompt_templates (org_id, version, template, created_by)
SELECT $1, coalesce(max(version), 0) + 1, $2, $3 FROM prompt_templates WHERE org_id = $1
RETURNING version, template, created_at, created_by

-- name: key_of_creator
-- A revoked key may be remembered as good for some seconds; it shall leave no other behind.
SELECT expires_at FROM api_keys
WHERE org_id = $1 AND key_id = $2 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())

-- name: add_key
INSERT INTO api_keys (org_id, key_hash, key_hint, name, scopes, audience, expires_at, created_by)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
RETURNING key_id, name, key_hint AS hint, scopes, audience, created_at, created_by, expires_at, revoked_at, last_used_at

-- name: keys
-- $2: the groups of the asker's key; it sees no key that reaches further than it does itself.
SELECT key_id, name, key_hint AS hint, scopes, audience, created_at, created_by, expires_at, revoked_at, last_used_at
FROM api_keys
WHERE org_id = $1 AND ($2::text[] IS NULL OR audience <@ $2) AND ($3::uuid IS NULL OR key_id = $3)
ORDER BY created_at, key_id

-- name: other_admin_key_exists
-- A usable one that reaches at least as far and lives at least as long: $2 the key, $3 its groups, $4 its expiry.
SELECT EXISTS (
    SELECT FROM api_keys
    WHERE org_id = $1 AND key_id <> $2 AND 'admin' = ANY (scopes)
      AND revoked_at IS NULL AND (expires_at IS NULL OR (expires_at > now() AND expires_at >= $4::timestamptz))
      AND (audience IS NULL OR audience @> $3::text[]))

-- name: revoke_key
UPDATE api_keys SET revoked_at = coalesce(revoked_at, now()) WHERE org_id = $1 AND key_id = $2

-- name: usage
-- A sum that is beyond a bigint is told as the greatest.
SELECT day, kind, least(sum(amount), 9223372036854775807)::bigint AS amount,
       least(coalesce(sum(amount) FILTER (WHERE estimated), 0), 9223372036854775807)::bigint AS estimated
FROM usage_counts WHERE org_id = $1 AND day BETWEEN $2 AND $3
GROUP BY day, kind ORDER BY day, kind

-- name: storage
SELECT count(DISTINCT d.document_id) AS documents,
       coalesce(sum(v.expected_chunks) FILTER (WHERE v.version = d.live_version), 0)::bigint AS chunks,
       coalesce(sum(v.size_bytes), 0)::bigint AS bytes
FROM documents d
JOIN document_versions v ON v.org_id = d.org_id AND v.document_id = d.document_id AND v.version > d.deleted_through
WHERE d.org_id = $1 AND d.deleted_at IS NULL
