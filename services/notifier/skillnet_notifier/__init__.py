"""The notifier of SkillNet retrieval."""
