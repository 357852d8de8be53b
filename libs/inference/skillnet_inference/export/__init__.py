"""Turning a model of Hugging Face into a folder that the encoder reads, and checking it. Needs the extra `export`."""
