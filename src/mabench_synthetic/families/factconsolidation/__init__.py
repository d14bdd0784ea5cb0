"""Makes rows of FactConsolidation: facts, of which later ones replace earlier ones."""
