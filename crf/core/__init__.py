"""The scores of a chain, and the recursions of the textbook over them, with their gradients."""
