"""The client of SkillNet retrieval."""
