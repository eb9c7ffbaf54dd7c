"""Flow: every path of a chain at once, each as wide as it is probable."""
