"""Makes a database and a bus ready for the services: once, before they start, and again with every new version."""
