"""mabench beside what people would use instead: the same work, in one run, as paired ratios."""
