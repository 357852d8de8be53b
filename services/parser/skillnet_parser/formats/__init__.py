"""One reader per file format: bytes in, drafts of blocks out."""
