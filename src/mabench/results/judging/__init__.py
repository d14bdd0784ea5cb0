"""Judging: which answers take a judge, its verdicts on them, and how far judges agree."""
