"""The demo as a reader runs it: in a folder of its own, with no window to draw in."""

import csv
import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROW = re.compile(r"^(\S.*\S) +(\d\.\d\d) +(\d\.\d\d) +(\d+) /100 +\d+\.\d+$", flags=re.MULTILINE)
PNG = b"\x89PNG\r\n\x1a\n"

needs_matplotlib = pytest.mark.skipif(not find_spec("matplotlib"), reason="matplotlib draws")


def table(text):
    """Return ARI, pairwise F and links kept of each method in what the demo printed."""
    return {name: [*map(float, scores)] for name, *scores in ROW.findall(text)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("demo")


@pytest.fixture(scope="module")
def said(folder):
    """Run the demo once for all, without a display."""
    screens = ("DISPLAY", "WAYLAND_DISPLAY", "MPLBACKEND")
    blind = {name: value for name, value in os.environ.items() if name not in screens}
    demo = [sys.executable, ROOT / "examples" / "demo.py"]
    done = subprocess.run(demo, cwd=folder, env=blind, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_readme_shows_what_the_demo_prints(said):
    promised = table((ROOT / "README.md").read_text(encoding="utf-8"))

    found = table(said)

    assert list(found) == list(promised)
    for name, (ari, f, kept) in found.items():
        # Another release of NumPy or scikit-learn may round a few rows elsewhere.
        assert [ari, f] == pytest.approx(promised[name][:2], abs=0.05)
        assert kept == pytest.approx(promised[name][2], abs=3)


def test_links_help_the_rows_that_nobody_was_asked_about(said):
    scores = table(said)
    plain, learned = scores["k-means (scikit-learn)"], scores["MPCKMeans, full"]

    assert learned[0] > plain[0]
    assert learned[1] > plain[1]


def test_labels_are_written_one_a_row(said, folder):
    with (folder / "demo-output" / "labels.csv").open(newline="") as file:
        header, *rows = csv.reader(file)

    assert header == ["row", "label"]
    assert [int(row) for row, _ in rows] == list(range(569))
    assert {label for _, label in rows} == {"0", "1"}


def test_it_says_where_everything_is(said, folder):
    written = {f"demo-output/{path.name}" for path in (folder / "demo-output").iterdir()}

    assert {word for word in said.split() if word.startswith("demo-output/")} == written


@needs_matplotlib
def test_a_picture_is_drawn(said, folder):
    assert (folder / "demo-output" / "clusters.png").read_bytes().startswith(PNG)


def test_the_picture_in_the_docs_is_small():
    picture = (ROOT / "docs" / "images" / "clusters.png").read_bytes()

    assert picture.startswith(PNG)
    assert len(picture) < 200_000


def test_a_table_is_read_with_and_without_spaces_in_names():
    text = "method  ARI\nk-means (sklearn)   0.69   0.86   81 /100   0.003\nPCK  0.7 \n"

    assert table(text) == {"k-means (sklearn)": [0.69, 0.86, 81.0]}
