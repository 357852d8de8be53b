"""One module a loop: each does one step at a time, in small transactions, and may be repeated at any point."""
