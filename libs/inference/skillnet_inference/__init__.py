"""The inference of SkillNet retrieval."""
