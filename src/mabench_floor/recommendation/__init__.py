"""The skill for recommendation: learns from dialogues which items, such as films, fit another."""
