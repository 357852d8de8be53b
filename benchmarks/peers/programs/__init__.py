"""What runs in the peers' environment: each program reads a job, finds, and writes a reply."""
