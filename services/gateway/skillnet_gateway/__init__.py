"""The gateway of SkillNet retrieval."""
