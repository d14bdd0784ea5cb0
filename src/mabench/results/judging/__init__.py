"""Verdicts on answers by a language model or a person as judge, and how far judges agree."""
