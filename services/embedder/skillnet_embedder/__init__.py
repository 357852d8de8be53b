"""The embedder of SkillNet retrieval."""
