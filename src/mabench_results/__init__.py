"""Result files of other harnesses, one module a format: each reads, and none of them judges."""
