-- Lists of documents go by creation, page by page: a page costs what it shows, however many documents there are.

CREATE INDEX documents_by_creation ON documents (org_id, created_at DESC, document_id DESC) WHERE deleted_at IS NULL;
