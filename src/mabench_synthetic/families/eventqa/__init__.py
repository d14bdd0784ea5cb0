"""What happens next in a long story."""
