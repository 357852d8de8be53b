-- Run once by a superuser (DATABASE_ADMIN_URL), idempotent. Passwords are set by the caller afterwards.
-- migrator   owns the schema          service    reads and writes its tenant's rows
-- dispatcher sees work, no content    auth       owns auth_lookup(), never logs in     backup  dumps only
-- monitor    asks how much waits, for an autoscaler
DO $$
DECLARE
    r record;
BEGIN
    FOR r IN SELECT * FROM (VALUES
        ('skillnet_migrator',   'LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS'),
        ('skillnet_service',    'LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS'),
        ('skillnet_dispatcher', 'LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS'),
        ('skillnet_auth',       'NOLOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE BYPASSRLS'),
        ('skillnet_backup',     'LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE BYPASSRLS'),
        ('skillnet_monitor',    'LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS')
    ) AS wanted (name, options)
    LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = r.name) THEN
            EXECUTE format('CREATE ROLE %I %s', r.name, r.options);
        END IF;
        EXECUTE format('ALTER ROLE %I %s', r.name, r.options);
    END LOOP;
END
$$;

CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public;
CREATE SCHEMA IF NOT EXISTS skillnet AUTHORIZATION skillnet_migrator;
REVOKE ALL ON SCHEMA skillnet FROM PUBLIC;
GRANT USAGE ON SCHEMA skillnet TO skillnet_service, skillnet_dispatcher, skillnet_backup, skillnet_monitor;
GRANT USAGE, CREATE ON SCHEMA skillnet TO skillnet_auth;
-- The migrator hands auth_lookup() over to its owner but never acts with that owner's rights by itself.
GRANT skillnet_auth TO skillnet_migrator WITH INHERIT FALSE, SET TRUE;

ALTER ROLE skillnet_migrator   SET search_path = skillnet, public;
ALTER ROLE skillnet_service    SET search_path = skillnet, public;
ALTER ROLE skillnet_dispatcher SET search_path = skillnet, public;
ALTER ROLE skillnet_backup     SET search_path = skillnet, public;
ALTER ROLE skillnet_monitor    SET search_path = skillnet, public;
ALTER ROLE skillnet_monitor    SET default_transaction_read_only = on;
-- A small table scanned by several processes gains nothing from JIT, and parallel workers would fight the embedder.
ALTER ROLE skillnet_service SET jit = off;
ALTER ROLE skillnet_service SET max_parallel_workers_per_gather = 0;
