"""Compiled sweeps: arrays in, arrays out. `loops.reference` holds their plain twins."""
