"""Adding up what the lines of a run say, one at a time: scores, means, times and calls."""
