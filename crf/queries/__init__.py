"""Further sums over all paths: entropies, covariances, probabilities of tokens, samples."""
