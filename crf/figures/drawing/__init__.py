"""A drawing that Python has laid out: lines, boxes and words in pixels."""
