"""Facts of which later ones supersede earlier ones."""
