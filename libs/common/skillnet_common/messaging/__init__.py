"""NATS: subjects, topology, permissions, workers and responders. Every known trap is handled here, once."""
