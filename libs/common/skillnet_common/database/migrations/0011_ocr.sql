-- What character recognition read may hold errors: those who cite it say so.

ALTER TABLE document_chunks ADD COLUMN ocr boolean NOT NULL DEFAULT false;
