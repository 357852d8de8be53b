-- $1 is always the organisation, $2 the question's text, $3 how many candidates a leg gives. In slashes and stars:
-- what statements.py puts in (conditions of filters with numbered parameters, the serving model's id). The model is a
-- literal so that the planner sees one partition only.

-- name: prepare
-- One round trip before the search: the limit of time, plans made once for all questions, the model that serves,
-- and up to two documents of the scope for the router.
SELECT set_config('statement_timeout', $2, true), set_config('plan_cache_mode', 'force_generic_plan', true),
       (SELECT s.model_id FROM serving_model s) AS model_id,
       ARRAY(SELECT ROW(d.document_id, d.title, d.page_count, d.full_text IS NOT NULL)
             FROM documents d
             WHERE d.org_id = $1 AND d.live_version IS NOT NULL AND d.deleted_at IS NULL /*document_filters*/
             ORDER BY d.document_id LIMIT 2) AS documents

-- name: scope
-- Live versions only; the policies of `documents` leave what the asker may see. `place` numbers a document in the
-- upper half of a bigint, whose lower half is for the chunk's index.
WITH scope AS MATERIALIZED (
    SELECT d.document_id, d.live_version AS version, d.language, v.expected_chunks, v.lexeme_count,
           row_number() OVER (ORDER BY d.document_id) << 32 AS place
    FROM documents d
    JOIN document_versions v ON v.org_id = $1 AND v.document_id = d.document_id AND v.version = d.live_version
    WHERE d.org_id = $1 AND d.live_version IS NOT NULL AND d.deleted_at IS NULL /*document_filters*/
)

-- name: allowed
-- Filters that not every chunk of a document passes.
, allowed AS MATERIALIZED (
    SELECT s.place | c.chunk_index AS key, c.chunk_id
    FROM scope s
    JOIN document_chunks c ON c.org_id = $1 AND c.document_id = s.document_id AND c.version = s.version
    WHERE true /*chunk_filters*/
)

-- name: keyword_leg
-- BM25 (Robertson and Zaragoza 2009; k1 = 1.2, b = 0.75, without the constant factor k1 + 1, as in Lucene, so that
-- no term gives more than its idf) with document frequencies counted over the scope's documents.
-- A term's forms count once: where a version has several of them, a chunk takes the most frequent.
, size AS MATERIALIZED (
    SELECT coalesce(sum(expected_chunks), 0)::float8 AS chunks,
           coalesce(sum(lexeme_count)::float8 / nullif(sum(expected_chunks), 0), 1) AS mean_words
    FROM scope
), terms AS MATERIALIZED (
    SELECT t.*
    FROM search_terms($2, ARRAY(SELECT config FROM (SELECT text_search_config(language) AS config, count(*) AS n
                                                    FROM scope GROUP BY 1) c ORDER BY n DESC, config)) t
), found AS MATERIALIZED (
    SELECT t.term_no, s.place, p.entries, count(*) OVER (PARTITION BY t.term_no, s.place) AS forms
    FROM terms t
    CROSS JOIN LATERAL (  -- OFFSET keeps it a look-up a lexeme, whatever the planner believes of their number
        SELECT q.document_id, q.version, q.entries FROM chunk_postings q
        WHERE q.org_id = $1 AND q.lexeme = t.lexeme OFFSET 0
    ) p
    JOIN scope s ON s.document_id = p.document_id AND s.version = p.version
), merged AS MATERIALIZED (
    SELECT term_no, place, entries FROM found WHERE forms = 1
    UNION ALL
    SELECT term_no, place, array_agg((chunk << 32) | counts)
    FROM (SELECT term_no, place, entry >> 32 AS chunk, max(entry & 4294967295) AS counts
          FROM (SELECT term_no, place, unnest(entries) AS entry FROM found WHERE forms > 1) e
          GROUP BY term_no, place, entry >> 32) m
    GROUP BY term_no, place
), weights AS MATERIALIZED (
    SELECT t.term_no, t.term, coalesce(m.known, 0)::integer AS known,
           ln(1 + (z.chunks - coalesce(m.known, 0) + 0.5) / (coalesce(m.known, 0) + 0.5)) AS idf
    FROM (SELECT term_no, min(term) AS term, bool_and(optional) AS optional FROM terms GROUP BY term_no) t
    CROSS JOIN size z
    LEFT JOIN (SELECT term_no, sum(cardinality(entries))::float8 AS known FROM merged GROUP BY term_no) m USING (term_no)
    WHERE m.known IS NOT NULL OR NOT t.optional
), ranked AS MATERIALIZED (
    SELECT place | (entry >> 32) AS key,
           sum(idf * ((entry >> 16) & 65535)
               / (((entry >> 16) & 65535) + 0.3::float8 + slope * (entry & 65535)))::real AS bm25,
           bit_or(bit) AS matched
    FROM (SELECT m.place, unnest(m.entries) AS entry, w.idf, 0.9 / z.mean_words AS slope,
                 CASE WHEN w.term_no < 63 THEN 1::bigint << w.term_no ELSE 0 END AS bit
          FROM merged m JOIN weights w USING (term_no) CROSS JOIN size z) e
    GROUP BY place | (entry >> 32)
), keyword AS MATERIALIZED (
    SELECT b.*, (b.key >> 32) << 32 AS place, (b.key & 4294967295)::integer AS chunk_index
    FROM (SELECT r.key, r.bm25, r.matched FROM ranked r /*allowed_keyword*/ ORDER BY r.bm25 DESC, r.key LIMIT $3) b
)

-- name: semantic_leg
-- Exact inside the scope. Vectors are of length 1, so that the inner product is the cosine.
, semantic AS MATERIALIZED (
    SELECT n.*, row_number() OVER (ORDER BY n.distance, n.chunk_id) AS rank
    FROM (SELECT e.chunk_id, s.place, s.language, e.embedding <#> /*vector*/ AS distance
          FROM chunk_embeddings e
          JOIN scope s ON s.document_id = e.document_id AND s.version = e.version
          /*allowed_semantic*/
          WHERE e.org_id = $1 AND e.model_id = /*model_id*/
          ORDER BY e.embedding <#> /*vector*/, e.chunk_id LIMIT $3) n
)

-- name: both_legs
-- Candidates of either leg, each with the scores of both, and whether its document is in the question's language.
, asked AS MATERIALIZED (
    SELECT min(config::oid)::regconfig AS config FROM terms
), candidates AS (
    SELECT c.chunk_id, c.document_id, c.version, c.chunk_index, k.key, s.language, NULL::float8 AS distance,
           NULL::bigint AS semantic_rank,
           row_number() OVER (ORDER BY k.bm25 DESC, c.chunk_id) AS keyword_rank
    FROM keyword k
    JOIN scope s USING (place)
    JOIN document_chunks c ON c.org_id = $1 AND c.document_id = s.document_id AND c.version = s.version
                          AND c.chunk_index = k.chunk_index
    UNION ALL
    SELECT c.chunk_id, c.document_id, c.version, c.chunk_index, n.place | c.chunk_index, n.language, n.distance,
           n.rank, NULL
    FROM semantic n
    JOIN document_chunks c ON c.org_id = $1 AND c.chunk_id = n.chunk_id
), pool AS (
    SELECT chunk_id, document_id, version, chunk_index, key, language, min(distance) AS distance,
           min(semantic_rank) AS semantic_rank, min(keyword_rank) AS keyword_rank
    FROM candidates GROUP BY chunk_id, document_id, version, chunk_index, key, language
)
SELECT ARRAY(SELECT ROW(term_no, term, idf, known) FROM weights ORDER BY term_no) AS terms,
       ARRAY(SELECT ROW(p.chunk_id, p.document_id, p.version, p.chunk_index, -coalesce(p.distance, e.distance),
                        r.bm25, coalesce(r.matched, 0), p.semantic_rank, p.keyword_rank,
                        coalesce(text_search_config(p.language) = a.config, true))
             FROM pool p
             CROSS JOIN asked a
             LEFT JOIN ranked r USING (key)
             LEFT JOIN LATERAL (  -- of what the keyword leg alone has found
                 SELECT e.embedding <#> /*vector*/ AS distance FROM chunk_embeddings e
                 WHERE p.distance IS NULL AND e.org_id = $1 AND e.model_id = /*model_id*/
                   AND e.chunk_id = p.chunk_id OFFSET 0
             ) e ON true) AS candidates

-- name: keyword_only
SELECT ARRAY(SELECT ROW(term_no, term, idf, known) FROM weights ORDER BY term_no) AS terms,
       ARRAY(SELECT ROW(c.chunk_id, c.document_id, c.version, c.chunk_index, NULL::float8, k.bm25, k.matched,
                        NULL::bigint, row_number() OVER (ORDER BY k.bm25 DESC, c.chunk_id), true)
             FROM keyword k
             JOIN scope s USING (place)
             JOIN document_chunks c ON c.org_id = $1 AND c.document_id = s.document_id AND c.version = s.version
                                   AND c.chunk_index = k.chunk_index) AS candidates

-- name: passages
-- The wide rows of the chunks that are shown, and of no others.
SELECT c.chunk_id, c.document_id, c.version, d.title AS document_title, d.file_type, c.kind, c.section_id,
       c.section_path, c.body, c.overlap_chars, c.chunk_index, c.page_start, c.page_end, v.page_labels, c.char_start,
       c.char_end, c.boxes, c.language, c.content_hash
FROM document_chunks c
JOIN documents d ON d.org_id = $1 AND d.document_id = c.document_id AND d.live_version = c.version
JOIN document_versions v ON v.org_id = $1 AND v.document_id = c.document_id AND v.version = c.version
WHERE c.org_id = $1 AND c.chunk_id = ANY ($2::uuid[])

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
