"""Ask for rows before they are needed: the plain twin."""


def ask_for(X, start, stop):
    """Ask for rows."""
