"""The references: programs of others, in an environment of their own."""
