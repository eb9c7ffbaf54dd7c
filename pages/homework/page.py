"""Homework."""
