"""Gradient of log p(y|x): observed minus expected counts, as heat maps."""
