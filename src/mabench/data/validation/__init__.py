"""Every departure of a data set from the schema and the inventory."""
