"""The reference that all results of a memory are held against: what it may show after what.

Nothing here calls a memory or looks at a clock: it judges events that were recorded.
"""
