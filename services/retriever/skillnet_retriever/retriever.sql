-- $1 is always the organisation, $2 the question's text, $3 how many candidates a leg gives. In slashes and stars:
-- what statements.py puts in (conditions of filters with numbered parameters, the serving model's id). The model is a
-- literal so that the planner sees one partition only.

-- name: routing
-- The model that serves, and up to two documents of the scope for the router.
       (SELECT s.model_id FROM serving_model s) AS model_id,
       ARRAY(SELECT ROW(d.document_id, d.title, d.page_count, d.full_text IS NOT NULL)
             FROM (SELECT document_id FROM scope ORDER BY place LIMIT 2) s
             JOIN documents d ON d.org_id = $1 AND d.document_id = s.document_id
             ORDER BY d.document_id) AS documents

-- name: scope
-- Live versions only; the policies of `documents` leave what the asker may see. `place` numbers the documents from 1.
WITH scope AS MATERIALIZED (
    SELECT d.document_id, d.live_version AS version, d.language, row_number() OVER (ORDER BY d.document_id) AS place
    FROM documents d
    WHERE d.org_id = $1 AND d.live_version IS NOT NULL AND d.deleted_at IS NULL /*document_filters*/
)

-- name: allowed
-- Filters that not every chunk of a document passes.
, allowed AS MATERIALIZED (
    SELECT (s.place << 32) | c.chunk_index AS key, c.chunk_id
    FROM scope s
    JOIN document_chunks c ON c.org_id = $1 AND c.document_id = s.document_id AND c.version = s.version
    WHERE true /*chunk_filters*/
)

-- name: keyword_leg
-- What BM25 is computed from (domain/bm25.py): the postings of the question's terms in the scope, packed as the binary
-- form of arrays (a header of 20 bytes, then each element behind its length of 4 bytes), which NumPy reads in place.
, size AS MATERIALIZED (
    SELECT coalesce(sum(v.expected_chunks), 0)::float8 AS chunks,
           coalesce(sum(v.lexeme_count)::float8 / nullif(sum(v.expected_chunks), 0), 1) AS mean_words
    FROM scope s
    JOIN document_versions v ON v.org_id = $1 AND v.document_id = s.document_id AND v.version = s.version
), terms AS MATERIALIZED (
    SELECT t.*
    FROM search_terms($2, ARRAY(SELECT config FROM (SELECT text_search_config(language) AS config, count(*) AS n
                                                    FROM scope GROUP BY 1) c ORDER BY n DESC, config)) t
), postings AS MATERIALIZED (
    SELECT array_send(array_agg(t.term_no)) AS posting_terms,
           array_send(array_agg(s.place::integer)) AS posting_documents,
           array_send(array_agg(cardinality(p.entries))) AS posting_counts,
           string_agg(array_send(p.entries), '') AS entries
    FROM terms t
    CROSS JOIN LATERAL (  -- OFFSET keeps it a look-up a lexeme, whatever the planner believes of their number
        SELECT q.document_id, q.version, q.entries FROM chunk_postings q
        WHERE q.org_id = $1 AND q.lexeme = t.lexeme OFFSET 0
    ) p
    JOIN scope s ON s.document_id = p.document_id AND s.version = p.version
)

-- name: semantic_leg
, semantic AS MATERIALIZED (
    /*exact*/
)

-- name: exact
-- Exact inside the scope. Vectors are of length 1, so that the inner product is the cosine.
SELECT e.chunk_id, s.place, e.distance
    FROM scope s
    CROSS JOIN LATERAL (  -- OFFSET: the distance is taken where the row is read, not after joins and sorts
        SELECT v.chunk_id, v.embedding <#> /*vector*/ AS distance
        FROM chunk_embeddings v
        WHERE v.org_id = $1 AND v.model_id = /*model_id*/
          AND v.document_id = s.document_id AND v.version = s.version OFFSET 0
    ) e
    WHERE true /*conditions*/
    ORDER BY e.distance, e.chunk_id LIMIT $2

-- name: indexed_leg
-- For a tenant whose vectors have an index (skillnet_common/database/vector_indexes.py), where the scope is large. The
-- index is walked without the filters, twice as far as candidates are wanted: inside the walk they lead it into parts
-- of the graph where it finds few of the nearest. Where they leave out several of the nearest ten, or too few are left,
-- the exact leg takes its place. Tenant and limit are literals: a generic plan would see neither that the partial index
-- holds the tenant nor that few rows are wanted.
, nearest AS MATERIALIZED (
    SELECT v.chunk_id, v.document_id, v.version, v.embedding::halfvec(/*dimension*/) <#> /*vector*/ AS distance
    FROM chunk_embeddings v
    WHERE v.org_id = '/*tenant*/' AND v.model_id = /*model_id*/ AND (/*scope_size*/) > /*exact_chunks*/
    ORDER BY v.embedding::halfvec(/*dimension*/) <#> /*vector*/ LIMIT 2 * /*candidates*/
), walked AS MATERIALIZED (
    SELECT n.chunk_id, n.distance, s.place, row_number() OVER (ORDER BY n.distance) AS rank
    FROM nearest n
    LEFT JOIN scope s ON s.document_id = n.document_id AND s.version = n.version /*allowed_walked*/
), enough AS MATERIALIZED (
    SELECT count(place) >= /*candidates*/ AND count(place) FILTER (WHERE rank <= 10) >= 8 AS is_true FROM walked
), semantic AS MATERIALIZED (
    (SELECT w.chunk_id, w.place, w.distance
    FROM walked w
    WHERE w.place IS NOT NULL AND (SELECT is_true FROM enough)
    ORDER BY w.distance, w.chunk_id LIMIT $2)
    UNION ALL
    (/*exact*/)
)

-- name: chunks_in_scope
SELECT coalesce(sum(d.expected_chunks), 0)
         FROM scope s
         JOIN document_versions d ON d.org_id = $1 AND d.document_id = s.document_id AND d.version = s.version

-- name: chunks_allowed
SELECT count(*) FROM allowed

-- name: vector_index
-- Whether the tenant's vectors have an index: built to its end and measured.
SELECT EXISTS (SELECT FROM pg_index WHERE indexrelid = to_regclass($1::text) AND indisvalid)

-- name: results
-- Of each document of the scope, in order: its id, its live version, and whether it is in the question's language,
-- as far as both are known.
SELECT /*routing*/,
       z.chunks, z.mean_words, p.posting_terms, p.posting_documents, p.posting_counts, p.entries,
       ARRAY(SELECT ROW(term_no, min(term), bool_and(optional), count(*) > 1)
             FROM terms GROUP BY term_no ORDER BY term_no) AS terms,
       (SELECT min(config::oid)::regconfig::text FROM terms) AS config,
       (SELECT string_agg(uuid_send(s.document_id) || int4send(s.version)
                          || boolsend(coalesce(text_search_config(s.language) = a.config, true)), '' ORDER BY s.place)
        FROM scope s CROSS JOIN (SELECT min(config::oid)::regconfig AS config FROM terms) a) AS scope
       /*allowed_keys*/
FROM size z CROSS JOIN postings p

-- name: semantic_rows
-- Chunks by their document's number in the scope: the same in every statement of a snapshot.
SELECT n.chunk_id, n.place::integer, c.chunk_index, -n.distance
FROM semantic n JOIN document_chunks c ON c.org_id = $1 AND c.chunk_id = n.chunk_id
ORDER BY n.distance, n.chunk_id

-- name: corrections
-- Postings, in the same form, of the words of the scope that are one typing error away from a term that nothing holds.
-- $2 numbers the terms, $3 has for each all words one error away, a space between them: they are stemmed as texts are
-- and looked up one by one, so that no list of the scope's words is kept. Only documents in the question's language $5
-- are looked at: a foreign word is no error. Of each term the most frequent ones count.
, near AS MATERIALIZED (
    SELECT t.term_no, l.lexeme, min(l.positions[1]) AS word_no
    FROM unnest($2::integer[], $3::text[]) AS t (term_no, words)
    CROSS JOIN LATERAL unnest(to_tsvector($5::regconfig, folded_words($5::regconfig, t.words))) l
    GROUP BY t.term_no, l.lexeme
), anywhere AS MATERIALIZED (  -- before the scope is joined: else each of its documents may look every word up
    SELECT n.term_no, n.lexeme, n.word_no, p.document_id, p.version, p.entries
    FROM near n
    CROSS JOIN LATERAL (
        SELECT q.document_id, q.version, q.entries FROM chunk_postings q
        WHERE q.org_id = $1 AND q.lexeme = n.lexeme OFFSET 0
    ) p
), held AS MATERIALIZED (
    SELECT a.term_no, a.lexeme, a.word_no, s.place::integer AS place, s.document_id, s.version, a.entries
    FROM anywhere a
    JOIN scope s ON s.document_id = a.document_id AND s.version = a.version
                AND text_search_config(s.language) = $5::regconfig
), chosen AS MATERIALIZED (
    SELECT term_no, lexeme, word_no,
           row_number() OVER (PARTITION BY term_no ORDER BY sum(cardinality(entries)) DESC, word_no, lexeme) AS rank
    FROM held GROUP BY term_no, lexeme, word_no
), shown AS MATERIALIZED (  -- as it is written in the first chunk that holds it: a word one error away may be none
    SELECT c.term_no, c.rank, c.word_no, f.word
    FROM chosen c
    CROSS JOIN LATERAL (
        SELECT document_id, version, entries[1] >> 32 AS chunk_index FROM held h
        WHERE h.term_no = c.term_no AND h.lexeme = c.lexeme ORDER BY h.place LIMIT 1
    ) h
    LEFT JOIN LATERAL (
        SELECT w.word
        FROM document_chunks x
        CROSS JOIN LATERAL regexp_split_to_table(plain_words(x.header || ' ' || x.body), ' ')
                           WITH ORDINALITY AS w (word, place)
        WHERE x.org_id = $1 AND x.document_id = h.document_id AND x.version = h.version
          AND x.chunk_index = h.chunk_index
          AND c.lexeme = ANY (tsvector_to_array(both_forms($5::regconfig, w.word)))
        ORDER BY w.place LIMIT 1
    ) f ON true
    WHERE c.rank <= $4
)
SELECT array_send(array_agg(h.term_no)) AS posting_terms,
       array_send(array_agg(h.place)) AS posting_documents,
       array_send(array_agg(cardinality(h.entries))) AS posting_counts,
       string_agg(array_send(h.entries), '') AS entries,
       ARRAY(SELECT ROW(term_no, word_no::integer, word) FROM shown ORDER BY term_no, rank) AS readings
FROM held h JOIN chosen c USING (term_no, lexeme) WHERE c.rank <= $4

-- name: allowed_keys
, (SELECT array_send(array_agg(key)) FROM allowed) AS allowed

-- name: stop_words
-- Postings, in the same form, of the words of a question that has stop words only, which no postings are kept of: they
-- are counted in the texts of the scope. Every chunk is taken to be of mean length.
, asked AS MATERIALIZED (
    SELECT (row_number() OVER (ORDER BY min(place)))::integer AS term_no, word
    FROM regexp_split_to_table(fold_accents(plain_words($2)), ' ') WITH ORDINALITY AS w (word, place)
    WHERE word <> '' GROUP BY word
), held AS MATERIALIZED (
    SELECT a.term_no, s.place, c.chunk_index, count(*) AS frequency
    FROM scope s
    JOIN document_chunks c ON c.org_id = $1 AND c.document_id = s.document_id AND c.version = s.version
    CROSS JOIN LATERAL regexp_split_to_table(fold_accents(plain_words(c.header || ' ' || c.body)), ' ') AS w (word)
    JOIN asked a ON a.word = w.word
    GROUP BY a.term_no, s.place, c.chunk_index
), size AS MATERIALIZED (
    SELECT coalesce(sum(v.lexeme_count) / nullif(sum(v.expected_chunks), 0), 1) AS mean_words
    FROM scope s
    JOIN document_versions v ON v.org_id = $1 AND v.document_id = s.document_id AND v.version = s.version
), postings AS MATERIALIZED (
    SELECT term_no, place, array_agg((chunk_index::bigint << 32) | (least(frequency, 65535) << 16)
                                     | least(mean_words, 65535)::bigint ORDER BY chunk_index) AS entries
    FROM held CROSS JOIN size GROUP BY term_no, place
)
SELECT array_send(array_agg(term_no)) AS posting_terms, array_send(array_agg(place::integer)) AS posting_documents,
       array_send(array_agg(cardinality(entries))) AS posting_counts, string_agg(array_send(entries), '') AS entries,
       ARRAY(SELECT ROW(term_no, word, false, false) FROM asked ORDER BY term_no) AS terms
FROM postings

-- name: holding
-- The chunks of the scope that hold the phrases $2, by the number of the phrase in $2: those that hold all its terms
-- (or a code of it) are found by their postings, then the words are sought in their order in what is shown of the
-- chunk, in its header, and, of single words that are to be left out ($3), by their stems alone. A code is cut where
-- letters meet digits, so that all its spellings are one.
, configs AS MATERIALIZED (
    SELECT ARRAY(SELECT config FROM (SELECT text_search_config(language) AS config, count(*) AS n
                                     FROM scope GROUP BY 1) c ORDER BY n DESC, config) AS all_of_them
), asked AS MATERIALIZED (
    SELECT a.n, a.phrase, a.by_stem, f.form
    FROM unnest($2::text[], $3::boolean[]) WITH ORDINALITY AS a (phrase, by_stem, n)
    CROSS JOIN LATERAL (SELECT a.phrase AS value) v CROSS JOIN LATERAL (SELECT /*form*/ AS form) f
), terms AS MATERIALIZED (
    SELECT a.n, t.term_no, t.lexeme, t.optional
    FROM asked a CROSS JOIN configs c CROSS JOIN LATERAL search_terms(a.phrase, c.all_of_them) t
), needed AS MATERIALIZED (
    SELECT n, count(DISTINCT term_no) FILTER (WHERE NOT optional) AS term_count FROM terms GROUP BY n
), anywhere AS MATERIALIZED (
    SELECT t.n, t.term_no, t.optional, t.lexeme LIKE '#%' AS is_code, p.document_id, p.version, p.entries
    FROM terms t
    CROSS JOIN LATERAL (
        SELECT q.document_id, q.version, q.entries FROM chunk_postings q
        WHERE q.org_id = $1 AND q.lexeme = t.lexeme OFFSET 0
    ) p
), held AS MATERIALIZED (
    SELECT a.n, s.document_id, s.version, (entry >> 32)::integer AS chunk_index,
           count(DISTINCT a.term_no) FILTER (WHERE NOT a.optional) AS term_count, bool_or(a.is_code) AS has_code
    FROM anywhere a
    JOIN scope s ON s.document_id = a.document_id AND s.version = a.version
    CROSS JOIN LATERAL unnest(a.entries) entry
    GROUP BY a.n, s.document_id, s.version, chunk_index
), possible AS MATERIALIZED (
    SELECT h.n, h.document_id, h.version, h.chunk_index FROM held h JOIN needed d USING (n)
    WHERE h.term_count = d.term_count OR h.has_code
    UNION ALL  -- a phrase of stop words alone may stand anywhere
    SELECT a.n, s.document_id, s.version, NULL
    FROM asked a CROSS JOIN scope s
    WHERE NOT a.by_stem AND NOT EXISTS (SELECT FROM terms t WHERE t.n = a.n)
)
SELECT a.n::integer, c.chunk_id
FROM possible p
JOIN asked a USING (n)
JOIN document_chunks c ON c.org_id = $1 AND c.document_id = p.document_id AND c.version = p.version
                      AND (p.chunk_index IS NULL OR c.chunk_index = p.chunk_index)
WHERE a.by_stem OR EXISTS (
    SELECT FROM unnest(ARRAY[c.header, CASE WHEN c.kind = 'table' THEN c.body
                                            ELSE substr(c.body, c.overlap_chars + 1) END]) AS v (value)
    WHERE strpos(/*form*/, a.form) > 0)

-- name: phrase_form
' ' || btrim(regexp_replace(fold_accents(plain_words(v.value)),
                            '(?<=\d)(?=[[:alpha:]])|(?<=[[:alpha:]])(?=\d)', ' ', 'g')) || ' '

-- name: found_by_words
-- The chunks at these places, with their cosines to the question.
SELECT w.ordinality::integer - 1 AS place, c.chunk_id, -(e.embedding <#> $5::halfvec) AS cosine
FROM unnest($2::uuid[], $3::integer[], $4::integer[]) WITH ORDINALITY AS w (document_id, version, chunk_index)
JOIN document_chunks c ON c.org_id = $1 AND c.document_id = w.document_id AND c.version = w.version
                      AND c.chunk_index = w.chunk_index
LEFT JOIN chunk_embeddings e ON e.org_id = $1 AND e.model_id = /*model_id*/ AND e.chunk_id = c.chunk_id

-- name: token_bits
SELECT t.chunk_id, t.token_bits
FROM chunk_token_bits t
WHERE t.org_id = $1 AND t.model_id = /*model_id*/ AND t.chunk_id = ANY ($2::uuid[])

-- name: passages
-- The wide rows of the chunks that are shown, and of no others.
SELECT c.chunk_id, c.document_id, c.version, d.title AS document_title, d.file_type, c.kind, c.section_id,
       c.section_path, c.body, c.overlap_chars, c.chunk_index, c.page_start, c.page_end, v.page_labels, c.char_start,
       c.char_end, c.boxes, c.language, c.ocr, c.content_hash
FROM document_chunks c
JOIN documents d ON d.org_id = $1 AND d.document_id = c.document_id AND d.live_version = c.version
JOIN document_versions v ON v.org_id = $1 AND v.document_id = c.document_id AND v.version = c.version
WHERE c.org_id = $1 AND c.chunk_id = ANY ($2::uuid[])

-- name: around
-- Chunks up to $3 places from these in the same section.
SELECT DISTINCT c.chunk_id
FROM document_chunks f
JOIN document_chunks c ON c.org_id = $1 AND c.document_id = f.document_id AND c.version = f.version
                      AND c.section_id = f.section_id AND c.chunk_index BETWEEN f.chunk_index - $3 AND f.chunk_index + $3
WHERE f.org_id = $1 AND f.chunk_id = ANY ($2::uuid[]) AND NOT c.chunk_id = ANY ($2::uuid[])

-- name: chunks_of_document
SELECT c.chunk_id
FROM documents d
JOIN document_chunks c ON c.org_id = $1 AND c.document_id = d.document_id AND c.version = d.live_version
WHERE d.org_id = $1 AND d.document_id = $2 AND d.deleted_at IS NULL
ORDER BY c.chunk_index

-- name: small_documents
-- Small documents of the scope by how many of the question's terms they hold, in any form, then how often.
, terms AS MATERIALIZED (
    SELECT t.* FROM search_terms($2, ARRAY(SELECT DISTINCT text_search_config(language) FROM scope)) t
)
SELECT s.document_id, d.title, d.page_count, count(DISTINCT t.term_no) AS terms_held,
       coalesce(sum((SELECT sum((entry >> 16) & 65535) FROM unnest(p.entries) entry)), 0) AS occurrences
FROM scope s
JOIN documents d ON d.org_id = $1 AND d.document_id = s.document_id
                AND d.full_text IS NOT NULL AND d.page_count <= $3
CROSS JOIN terms t
JOIN chunk_postings p ON p.org_id = $1 AND p.lexeme = t.lexeme AND p.document_id = s.document_id
                     AND p.version = s.version
GROUP BY s.document_id, d.title, d.page_count
ORDER BY terms_held DESC, occurrences DESC, s.document_id
LIMIT 5
