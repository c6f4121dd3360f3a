"""Metrics learned from links, apart from any clustering."""
