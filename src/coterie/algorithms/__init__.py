"""The methods, as functions over arrays."""
