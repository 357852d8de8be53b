-- Finding by words: accent folding, lexemes and codes, the postings that BM25 is computed from, and the two
-- search functions of the specification.

-- Case and word borders by Unicode, whatever the locale of the database is.
CREATE FUNCTION plain_words(value text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN regexp_replace(lower(normalize(value, NFC) COLLATE pg_c_utf8), '[^[:alnum:]]+', ' ', 'g');

CREATE FUNCTION fold_accents(value text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN regexp_replace(normalize(lower(value COLLATE pg_c_utf8), NFKD), '[\u0300-\u036f]', '', 'g');

-- The Spanish stemmer needs the accent of -ción and -sión: without it singular and plural part ways.
CREATE FUNCTION es_fold(value text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN regexp_replace(fold_accents(value), '([a-z][cs])ion\M', '\1ión', 'g');

-- The stemmer and stop words of a language tag (`es`, `en-GB`); `simple` where PostgreSQL has none.
CREATE FUNCTION text_search_config(language text) RETURNS regconfig
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE lower(split_part(coalesce(language, ''), '-', 1))
    WHEN 'es' THEN 'pg_catalog.spanish'::regconfig
    WHEN 'en' THEN 'pg_catalog.english'::regconfig
    WHEN 'ca' THEN 'pg_catalog.catalan'::regconfig
    WHEN 'eu' THEN 'pg_catalog.basque'::regconfig
    WHEN 'pt' THEN 'pg_catalog.portuguese'::regconfig
    WHEN 'fr' THEN 'pg_catalog.french'::regconfig
    WHEN 'it' THEN 'pg_catalog.italian'::regconfig
    WHEN 'de' THEN 'pg_catalog.german'::regconfig
    ELSE 'pg_catalog.simple'::regconfig
END;

CREATE FUNCTION folded_words(config regconfig, value text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN config = 'pg_catalog.spanish'::regconfig
    THEN es_fold(plain_words(value)) ELSE fold_accents(plain_words(value)) END;

-- Both accent forms, so that a question finds a word with or without its accents.
CREATE FUNCTION both_forms(config regconfig, value text) RETURNS tsvector
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN to_tsvector(config, plain_words(value)) || to_tsvector(config, folded_words(config, value));

-- Codes, amounts and dates in one spelling: `REF-2041-B` -> `#ref2041b`, `ISO 9001`, `ISO-9001` and `iso9001` ->
-- `#iso9001`, `12,50` -> `#12.50`, `15/03/2026` -> `#15-03-2026`. A separator stays between two digits only.
-- `loose` marks a short word before a number (`art 5`), which may be no code at all.
CREATE FUNCTION search_codes(config regconfig, value text) RETURNS TABLE (code text, loose boolean, token text)
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    WITH folded AS (SELECT fold_accents(value) AS text),
    whole AS (
        SELECT m[1] AS token
        FROM folded, regexp_matches(text, '[[:alnum:]]+(?:[-./:,_][[:alnum:]]+)*', 'g') m
        WHERE m[1] ~ '\d' AND m[1] ~ '\D' AND length(m[1]) <= 60
    )
    SELECT '#' || regexp_replace(regexp_replace(regexp_replace(
               token, '(\d)[.,](?=\d)', '\1.', 'g'), '(\d)[-/:_](?=\d)', '\1-', 'g'),
               '(?<!\d)[-./:,_]|[-./:,_](?!\d)', '', 'g'),
           false, token
    FROM whole
    UNION ALL
    SELECT '#' || m[1] || m[2], true, m[1] || ' ' || m[2]
    FROM folded, regexp_matches(text, '\m([[:alpha:]]{2,5})[ \u00a0-](\d{2,})\M', 'g') m
    WHERE to_tsvector(config, m[1]) <> ''
$$;

ALTER TABLE document_chunks ADD COLUMN search_vector tsvector GENERATED ALWAYS AS (
    setweight(both_forms(text_search_config(language), heading), 'A')
    || setweight(both_forms(text_search_config(language), body), 'D')) STORED;
CREATE INDEX document_chunks_search ON document_chunks USING gin (search_vector);

-- How many words the version's chunks hold: with expected_chunks, the mean length BM25 needs.
ALTER TABLE document_versions ADD COLUMN lexeme_count bigint;

-- Which chunks of a version hold a lexeme, how often, and how many words each of them has: one row a lexeme and
-- version, found by leakproof equality alone, so that row-level security leaves the index in use. An entry packs
-- (chunk_index << 32) | (frequency << 16) | words of the chunk. Codes begin with `#`.
CREATE TABLE chunk_postings (
    org_id      uuid NOT NULL,
    lexeme      text COLLATE "C" NOT NULL,
    document_id uuid NOT NULL,
    version     integer NOT NULL,
    entries     bigint[] NOT NULL CHECK (cardinality(entries) > 0),
    PRIMARY KEY (org_id, lexeme, document_id, version),
    FOREIGN KEY (org_id, document_id, version) REFERENCES document_versions ON DELETE CASCADE
);
CREATE INDEX chunk_postings_by_version ON chunk_postings (org_id, document_id, version);
CALL protect_tenant_table('chunk_postings');
GRANT SELECT, INSERT, DELETE ON chunk_postings TO skillnet_service;
CREATE POLICY dispatcher ON chunk_postings TO skillnet_dispatcher USING (true) WITH CHECK (true);
GRANT SELECT (org_id, document_id, version), DELETE ON chunk_postings TO skillnet_dispatcher;

-- The words and codes of one chunk: words in both accent forms, counted once an occurrence; the header (document
-- title and section path) counts as one more occurrence of each of its words.
CREATE FUNCTION chunk_lexemes(language text, header text, body text)
RETURNS TABLE (lexeme text, frequency integer, word_count integer)
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    WITH texts AS (
        SELECT text_search_config(language) AS config
    ), vectors AS (
        SELECT to_tsvector(config, plain_words(body)) AS body_plain,
               to_tsvector(config, folded_words(config, body)) AS body_folded,
               strip(both_forms(config, header)) AS head,
               length(to_tsvector(config, plain_words(header))) AS head_words
        FROM texts
    ), counts AS (
        SELECT l.lexeme, cardinality(l.positions) AS n, 'body' AS part FROM vectors, unnest(body_plain) l
        UNION ALL
        SELECT l.lexeme, cardinality(l.positions), 'body' FROM vectors, unnest(body_folded) l
        UNION ALL
        SELECT l.lexeme, 1, 'head' FROM vectors, unnest(head) l
    ), words AS (
        SELECT c.lexeme, coalesce(max(n) FILTER (WHERE part = 'body'), 0)
                         + coalesce(max(n) FILTER (WHERE part = 'head'), 0) AS frequency
        FROM counts c GROUP BY c.lexeme
    ), codes AS (
        SELECT c.code AS lexeme,
               greatest(count(*) FILTER (WHERE loose), count(*) FILTER (WHERE NOT loose))::integer AS frequency
        FROM texts, search_codes(config, header || E'\n' || body) c GROUP BY c.code
    ), size AS (
        SELECT coalesce(sum(cardinality(l.positions)), 0)::integer + head_words AS word_count
        FROM vectors LEFT JOIN LATERAL unnest(body_plain) l ON true GROUP BY head_words
    )
    SELECT f.lexeme, f.frequency, size.word_count
    FROM (SELECT * FROM words UNION ALL SELECT * FROM codes) f, size
$$;

-- Fills the postings of a version from its chunks; safe to repeat. The chunker calls it in the transaction that
-- writes the chunks, a roll-back of a version whose postings were cleaned away calls it again.
CREATE FUNCTION index_chunks(target_org uuid, target_document uuid, target_version integer) RETURNS void
LANGUAGE sql AS $$
    DELETE FROM chunk_postings
    WHERE org_id = target_org AND document_id = target_document AND version = target_version;

    WITH found AS MATERIALIZED (
        SELECT c.chunk_index, l.lexeme, least(l.frequency, 65535) AS frequency, least(l.word_count, 65535) AS words
        FROM document_chunks c, chunk_lexemes(c.language, c.header, c.body) l
        WHERE c.org_id = target_org AND c.document_id = target_document AND c.version = target_version
    ), written AS (
        INSERT INTO chunk_postings (org_id, lexeme, document_id, version, entries)
        SELECT target_org, f.lexeme, target_document, target_version,
               array_agg((f.chunk_index::bigint << 32) | (f.frequency::bigint << 16) | f.words ORDER BY f.chunk_index)
        FROM found f GROUP BY f.lexeme
    )
    UPDATE document_versions
    SET lexeme_count = (SELECT coalesce(sum(words), 0) FROM (SELECT DISTINCT chunk_index, words FROM found) s)
    WHERE org_id = target_org AND document_id = target_document AND version = target_version;
$$;

-- What a question looks for. `term_no` numbers its terms; the lexemes of one term are forms of the same word (with
-- and without accents, in the languages of the scope: `configs`) and count once. The question's own language, `config`,
-- is the one that knows most of its words as stop words: Spanish, English or one of `configs`, whose first it is where
-- none does. An `optional` term counts only where the corpus knows it.
CREATE FUNCTION search_terms(query text, configs regconfig[])
RETURNS TABLE (term_no integer, term text, lexeme text, optional boolean, config regconfig)
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE ROWS 20 AS $$
    WITH words AS (
        SELECT ordinality AS place, word
        FROM regexp_split_to_table(plain_words(query), ' ') WITH ORDINALITY AS w (word)
        WHERE word <> ''
    ), languages AS (
        SELECT c.language, min(c.preference) AS preference
        FROM unnest(configs || ARRAY['pg_catalog.spanish', 'pg_catalog.english']::regconfig[])
             WITH ORDINALITY AS c (language, preference)
        GROUP BY c.language
    ), known_stops AS (
        SELECT l.language, l.preference, w.place,
               to_tsvector(l.language, w.word) = '' OR to_tsvector(l.language, folded_words(l.language, w.word)) = ''
                   AS stop
        FROM words w, languages l
    ), own AS (
        SELECT s.language FROM known_stops s GROUP BY s.language, s.preference
        ORDER BY count(*) FILTER (WHERE s.stop) DESC, s.preference LIMIT 1
    ), content AS (
        SELECT w.place, w.word FROM words w, own
        WHERE NOT EXISTS (SELECT FROM known_stops s WHERE s.language = own.language AND s.place = w.place AND s.stop)
          -- Spanish interrogatives, which the stop words of PostgreSQL leave in.
          AND fold_accents(w.word) NOT IN ('que', 'cual', 'cuales', 'cuanto', 'cuanta', 'cuantos', 'cuantas', 'como',
                                           'cuando', 'donde', 'quien', 'quienes')
    ), forms AS (
        SELECT c.place, c.word, f.lexeme,
               first_value(f.lexeme) OVER (PARTITION BY c.place ORDER BY l.language <> own.language, f.folded DESC,
                                           f.lexeme) AS stem
        FROM content c CROSS JOIN own CROSS JOIN (SELECT DISTINCT u.language FROM unnest(configs) u (language)) l
        CROSS JOIN LATERAL (
            SELECT p.lexeme, false AS folded FROM unnest(to_tsvector(l.language, c.word)) p
            UNION ALL
            SELECT p.lexeme, true FROM unnest(to_tsvector(l.language, folded_words(l.language, c.word))) p
        ) f
    ), codes AS (
        SELECT DISTINCT ON (c.code) c.code, c.loose, c.token
        FROM own, search_codes(own.language, query) c ORDER BY c.code, c.loose
    ), parts AS (
        -- A code without separators is a word too: one term, not two.
        SELECT coalesce((SELECT code FROM codes WHERE token = fold_accents(f.word) AND NOT loose), f.stem) AS key,
               f.place, f.word AS term, f.lexeme, false AS optional
        FROM forms f
        UNION ALL
        SELECT code, 100000, token, code, loose FROM codes
    ), named AS (
        SELECT key, min(place) AS place, (array_agg(term ORDER BY place))[1] AS term, bool_and(optional) AS optional
        FROM parts GROUP BY key
    )
    SELECT dense_rank() OVER (ORDER BY n.place, n.key)::integer, n.term, l.lexeme, n.optional, own.language
    FROM named n JOIN (SELECT DISTINCT key, parts.lexeme FROM parts) l USING (key) CROSS JOIN own
    ORDER BY 1, 3
$$;

CREATE FUNCTION require_tenant(wanted uuid) RETURNS uuid
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    IF wanted IS DISTINCT FROM current_org() THEN
        RAISE EXCEPTION 'match_org_id is not the tenant of this transaction' USING ERRCODE = 'SN002';
    END IF;
    RETURN wanted;
END
$$;

-- The specification's semantic search over live versions. The model is the serving one unless named; the threshold
-- (a cosine; none by default, since its scale is the model's own) is applied to the best `match_count`.
CREATE FUNCTION search_chunks_semantic(
    query_embedding   halfvec,
    match_org_id      uuid,
    match_document_id uuid DEFAULT NULL,
    match_course_id   text DEFAULT NULL,
    match_count       integer DEFAULT 10,
    match_threshold   double precision DEFAULT -1,
    match_model_id    integer DEFAULT NULL
)
RETURNS TABLE (chunk_id uuid, document_id uuid, content text, metadata jsonb, similarity double precision)
LANGUAGE plpgsql STABLE AS $$
DECLARE
    model integer := coalesce(match_model_id, (SELECT s.model_id FROM serving_model s));
BEGIN
    -- The model is a literal, so that the planner sees one partition only.
    RETURN QUERY EXECUTE format($query$
        WITH nearest AS MATERIALIZED (
            SELECT e.chunk_id, e.embedding <=> $1 AS distance
            FROM chunk_embeddings e
            JOIN documents d ON d.org_id = e.org_id AND d.document_id = e.document_id AND d.live_version = e.version
            WHERE e.org_id = $2 AND e.model_id = %L AND d.org_id = $2 AND d.deleted_at IS NULL
              AND ($3 IS NULL OR d.document_id = $3)
              AND ($4 IS NULL OR EXISTS (SELECT FROM course_documents cd WHERE cd.org_id = $2
                                         AND cd.course_id = $4 AND cd.document_id = d.document_id))
            ORDER BY distance, e.chunk_id LIMIT $5
        )
        SELECT c.chunk_id, c.document_id, c.body, c.metadata, 1 - n.distance
        FROM nearest n JOIN document_chunks c ON c.org_id = $2 AND c.chunk_id = n.chunk_id
        WHERE 1 - n.distance > $6
        ORDER BY n.distance, n.chunk_id
        $query$, model)
    USING query_embedding, require_tenant(match_org_id), match_document_id, match_course_id, match_count,
          match_threshold;
END
$$;

-- The specification's keyword search over live versions: any word of the question in either accent form, ranked by
-- ts_rank. The retriever itself ranks by BM25 over chunk_postings.
CREATE FUNCTION search_chunks_keyword(
    search_query      text,
    match_org_id      uuid,
    match_document_id uuid DEFAULT NULL,
    match_count       integer DEFAULT 10,
    match_course_id   text DEFAULT NULL
)
RETURNS TABLE (chunk_id uuid, document_id uuid, content text, metadata jsonb, rank double precision)
LANGUAGE plpgsql STABLE AS $$
DECLARE
    tenant uuid := require_tenant(match_org_id);
    wanted tsquery := (
        SELECT string_agg(quote_literal(lexeme), ' | ')::tsquery
        FROM (SELECT DISTINCT t.lexeme
              FROM search_terms(search_query, ARRAY['spanish', 'english']::regconfig[]) t
              WHERE t.lexeme NOT LIKE '#%') l);
BEGIN
    RETURN QUERY
    SELECT c.chunk_id, c.document_id, c.body, c.metadata, ts_rank(c.search_vector, wanted)::double precision
    FROM document_chunks c
    JOIN documents d ON d.org_id = c.org_id AND d.document_id = c.document_id AND d.live_version = c.version
    WHERE c.org_id = tenant AND d.org_id = tenant AND d.deleted_at IS NULL
      AND (match_document_id IS NULL OR c.document_id = match_document_id)
      AND (match_course_id IS NULL OR EXISTS (SELECT FROM course_documents cd WHERE cd.org_id = tenant
                                              AND cd.course_id = match_course_id AND cd.document_id = d.document_id))
      AND c.search_vector @@ wanted
    ORDER BY ts_rank(c.search_vector, wanted) DESC, c.chunk_id
    LIMIT match_count;
END
$$;
