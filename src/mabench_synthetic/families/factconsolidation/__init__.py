"""Makes rows of FactConsolidation: facts, where later ones replace earlier ones."""
