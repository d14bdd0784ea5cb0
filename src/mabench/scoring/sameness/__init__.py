"""Whether a text says the same as a gold: names, kin, quantities and times."""
