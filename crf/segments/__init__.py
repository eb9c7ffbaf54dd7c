"""Distributions over labelled segments, computed by a chain."""
