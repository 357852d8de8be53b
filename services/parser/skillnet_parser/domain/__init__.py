"""Pure rules that turn what a format's reader saw into one canonical text. No I/O."""
