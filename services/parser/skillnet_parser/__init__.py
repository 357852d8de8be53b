"""The parser of SkillNet retrieval."""
