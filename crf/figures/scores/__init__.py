"""Tables of a chain's scores: emissions, transitions, start, end; each changed where it stands."""
