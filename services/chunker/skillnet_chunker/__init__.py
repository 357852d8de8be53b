"""The chunker of SkillNet retrieval."""
