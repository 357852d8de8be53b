"""Sets the example documents: Markdown sources become PDF and DOCX files, the same bytes at every run."""
