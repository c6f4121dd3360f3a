"""Rules of the house that no linter knows."""

import ast
import inspect
from pathlib import Path

import pytest

import coterie

SOURCE = Path(coterie.__file__).parent
FILES = sorted(SOURCE.rglob("*.py"))
LOOPS = sorted((SOURCE / "loops").glob("*.py"))


def name_of(path):
    return str(path.relative_to(SOURCE))


def shown():
    """Yield the public names that need an example: an error is shown where it is raised."""
    for name in coterie.__all__:
        thing = getattr(coterie, name)
        is_error = inspect.isclass(thing) and issubclass(thing, Exception)
        if callable(thing) and not is_error:
            yield name


def prints(text):
    """Return the lines of `text` that print."""
    calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    return [c.lineno for c in calls if isinstance(c.func, ast.Name) and c.func.id == "print"]


def asks_for_fastmath(text):
    """Tell whether any call or decorator in `text` sets fastmath."""
    keywords = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.keyword)]
    return any(keyword.arg == "fastmath" for keyword in keywords)


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_library_does_not_print(path):
    assert prints(path.read_text()) == []


@pytest.mark.parametrize("loop", LOOPS, ids=name_of)
def test_fastmath_is_named_by_the_twin(loop):
    twin = loop.parent / "reference" / loop.name
    # What is done to a tile has no twin of its own; those of the sweeps speak for it.
    twin = twin if twin.exists() else twin.with_name("sweep.py")
    meaning = twin.read_text()

    assert not asks_for_fastmath(loop.read_text()) or "fastmath" in meaning


@pytest.mark.parametrize("name", [*shown()])
def test_public_docstring_shows_an_example(name):
    assert "Examples\n--------\n" in inspect.getdoc(getattr(coterie, name))


def test_the_rules_can_fail():
    assert prints("def f():\n    print('hello')\n    pprint('no')\n") == [2]
    assert asks_for_fastmath("@numba.njit(cache=True, fastmath=True)\ndef f(): ...\n")
    assert not asks_for_fastmath("# fastmath would be wrong here\n@numba.njit\ndef f(): ...\n")
