"""What is written of a data set: a folder of rows, its questions, and an example to begin with."""
