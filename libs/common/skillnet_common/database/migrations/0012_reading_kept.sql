-- What a reading left out, kept with the text it belongs to: it goes when the text goes.

ALTER TABLE document_texts
    ADD COLUMN removed jsonb NOT NULL DEFAULT '[]',   -- [[reason, page or null, text], ...]: stands in the file alone
    ADD COLUMN unindexed jsonb;                       -- [[reason, start, end], ...]: in the text, in no chunk; NULL: not cut yet
GRANT UPDATE (unindexed) ON document_texts TO skillnet_service;
