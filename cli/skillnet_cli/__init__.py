"""The cli of SkillNet retrieval."""
