"""The corrected score: deterministic rules that a careful reader would accept."""
