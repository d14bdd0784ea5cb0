"""What two things that a question names have in common, and which of them comes first."""
