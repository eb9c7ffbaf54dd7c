"""Figures of chains that do not know their host: the app, a notebook, or one HTML file."""
