"""What a judge passes, by kind of answer: measured on answers that are made up for it."""
