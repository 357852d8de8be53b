"""The `skillnet` command."""
