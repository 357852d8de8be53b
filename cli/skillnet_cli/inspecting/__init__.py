"""Looking into one document: what `skillnet parse` shows."""
