"""The skill for labelled texts: learns a classifier from the examples in a history."""
