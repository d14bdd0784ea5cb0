"""Reports on a user's own data: imports, problems, questions, and what memories do with them."""
