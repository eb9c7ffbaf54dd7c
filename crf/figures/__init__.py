"""Figures of chains, for any host."""
