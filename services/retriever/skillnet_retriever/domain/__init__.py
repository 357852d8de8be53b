"""What the retriever decides, free of I/O: fusion, routing, context, evidence and ground."""
