"""What all texts are made with: English grammar, invented names, and the length in tokens."""
