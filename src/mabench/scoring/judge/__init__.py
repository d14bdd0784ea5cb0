"""What judges say: which part of a reply is their own, and by which grammar it is read."""
