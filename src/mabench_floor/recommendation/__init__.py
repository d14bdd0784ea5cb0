"""Recommendation: items such as films, learnt from dialogues, that suit the one at hand."""
