"""Each compiled loop stands beside a plain one that says what it means."""

import ast
from pathlib import Path

import pytest

import coterie

LOOPS = Path(coterie.__file__).parent / "loops"
FILES = sorted(path for path in LOOPS.glob("*.py") if path.stem != "__init__")


def signatures(path):
    """Return the names of the arguments of each public function in the file."""
    if not path.exists():
        return {}
    functions = [f for f in ast.parse(path.read_text()).body if isinstance(f, ast.FunctionDef)]
    return {f.name: names(f.args) for f in functions if not f.name.startswith("_")}


def names(args):
    return [arg.arg for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs)]


@pytest.mark.parametrize("loop", FILES, ids=lambda path: path.stem)
def test_every_loop_has_a_twin_with_the_same_signature(loop):
    assert signatures(loop) == signatures(LOOPS / "reference" / loop.name)


def test_every_twin_has_a_loop():
    twins = {path.name for path in (LOOPS / "reference").glob("*.py")}

    assert twins - {path.name for path in LOOPS.glob("*.py")} == set()


def test_signatures_sees_public_functions_and_their_arguments(tmp_path):
    (tmp_path / "loop.py").write_text("def sweep(X, /, labels, *, n=1): ...\ndef _help(a): ...\n")

    assert signatures(tmp_path / "loop.py") == {"sweep": ["X", "labels", "n"]}
    assert signatures(tmp_path / "absent.py") == {}
