"""Heat map of probabilities: tags by tokens, the cells can be picked."""
