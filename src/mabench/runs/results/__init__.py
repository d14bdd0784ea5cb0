"""What a run comes to: its scores, and what else is known of its answers."""
