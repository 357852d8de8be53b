"""The retriever of SkillNet retrieval."""
