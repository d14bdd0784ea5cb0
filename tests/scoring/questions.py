"""Questions with options, in the two forms that the data set has."""

DETECTIVE = """An example:
 A. One
 B. Two
Now Answer the Question: who?
 A. Miss White
 B. Hila Weber
 C. The Brandt couple
 D. The Brandt couple's niece
 Output:"""

EVENTS = "Below is a list:\n\n['He left the house.', \"She didn't speak.\", 'He left.']\n\nChoose."
