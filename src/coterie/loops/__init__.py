"""Compiled sweeps: arrays in, arrays out. `loops.reference` holds their plain twins."""

import numba


def compiled(**options):
    """Compile a loop, and keep what was compiled for other processes where that is possible."""

    def compile_it(loop):
        try:
            return numba.njit(cache=True, **options)(loop)
        except RuntimeError:  # there is no folder that may be written to
            return numba.njit(**options)(loop)

    return compile_it
