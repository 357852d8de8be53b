-- name: find_version
SELECT title FROM document_versions
WHERE org_id = $1 AND document_id = $2 AND version = $3 AND state = 'parsed'

-- name: insert_chunks
INSERT INTO document_chunks
    (org_id, chunk_id, document_id, version, chunk_index, chunk_total, kind, section_index, section_id, section_path,
     heading, header, body, char_start, char_end, overlap_chars, page_start, page_end, boxes, token_count, language,
     ocr, content_hash, embed_hash)
SELECT $1, c.chunk_id, $2, $3, c.chunk_index, c.chunk_total, c.kind, c.section_index, c.section_id, c.section_path,
       c.heading, c.header, c.body, c.char_start, c.char_end, c.overlap_chars, c.page_start, c.page_end, c.boxes,
       c.token_count, c.language, c.ocr, decode(c.content_hash, 'hex'), decode(c.embed_hash, 'hex')
FROM jsonb_to_recordset($4::jsonb) AS c (
    chunk_id uuid, chunk_index integer, chunk_total integer, kind text, section_index integer, section_id text,
    section_path text[], heading text, header text, body text, char_start integer, char_end integer,
    overlap_chars integer, page_start integer, page_end integer, boxes jsonb, token_count integer, language text,
    ocr boolean, content_hash text, embed_hash text)

-- name: index_chunks
SELECT index_chunks($1, $2, $3)

-- name: begin_embedding
-- How it was cut is known by now, whatever was expected at upload.
UPDATE document_versions
SET state = 'embedding', expected_chunks = $4,
    pipeline_fingerprint = split_part(pipeline_fingerprint, '-', 1) || '-' || $5
WHERE org_id = $1 AND document_id = $2 AND version = $3

-- name: reuse_vectors
-- The same organisation has embedded the same model input before: its vector is copied, never computed again.
INSERT INTO chunk_embeddings (org_id, model_id, chunk_id, document_id, version, embedding)
SELECT DISTINCT ON (fresh.chunk_id) $1, $4, fresh.chunk_id, $2, $3, known.embedding
FROM document_chunks fresh
JOIN document_chunks twin
  ON twin.org_id = $1 AND twin.embed_hash = fresh.embed_hash AND twin.chunk_id <> fresh.chunk_id
JOIN LATERAL (
    SELECT embedding FROM chunk_embeddings WHERE org_id = $1 AND model_id = $4 AND chunk_id = twin.chunk_id
    UNION ALL
    SELECT embedding FROM chunk_embeddings_archive WHERE org_id = $1 AND model_id = $4 AND chunk_id = twin.chunk_id
    LIMIT 1
) known ON true
WHERE fresh.org_id = $1 AND fresh.document_id = $2 AND fresh.version = $3
ORDER BY fresh.chunk_id
ON CONFLICT DO NOTHING

-- name: reuse_token_bits
-- Those of the same text, where it was embedded with late interaction.
INSERT INTO chunk_token_bits (org_id, model_id, chunk_id, token_bits)
SELECT DISTINCT ON (fresh.chunk_id) $1, $4, fresh.chunk_id, known.token_bits
FROM document_chunks fresh
JOIN document_chunks twin
  ON twin.org_id = $1 AND twin.embed_hash = fresh.embed_hash AND twin.chunk_id <> fresh.chunk_id
JOIN chunk_token_bits known ON known.org_id = $1 AND known.model_id = $4 AND known.chunk_id = twin.chunk_id
WHERE fresh.org_id = $1 AND fresh.document_id = $2 AND fresh.version = $3
ORDER BY fresh.chunk_id
ON CONFLICT DO NOTHING

-- name: chunks_to_embed
SELECT c.chunk_id, c.token_count FROM document_chunks c
WHERE c.org_id = $1 AND c.document_id = $2 AND c.version = $3
  AND NOT EXISTS (SELECT FROM chunk_embeddings e
                  WHERE e.org_id = $1 AND e.model_id = $4 AND e.chunk_id = c.chunk_id)
ORDER BY c.chunk_index
