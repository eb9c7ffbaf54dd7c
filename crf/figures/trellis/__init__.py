"""Trellis: one recursion step by step, with the terms that meet in each cell."""
