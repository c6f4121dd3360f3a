"""What each loop means, in plain NumPy."""
