"""The dispatcher of SkillNet retrieval."""
