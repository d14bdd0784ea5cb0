"""An invented world: its entities, and the relations between them."""
