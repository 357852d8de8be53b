"""How well passages are found and answers stand on them, measured through the running services."""
