"""The families of other benchmarks, whose sources feed no column of the paper."""
