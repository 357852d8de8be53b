"""An organisation's documents in a folder or an archive: see `skillnet export --help`."""
