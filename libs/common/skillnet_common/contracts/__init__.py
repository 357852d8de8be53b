"""Frozen, versioned messages: work, events, retrieval requests and replies."""
