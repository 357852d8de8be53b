"""What the services share: contracts, settings, database, messaging, objects, observability."""
