"""What the pages show is what the reader gets."""

import doctest
import os
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
SHOWN = [page for page in PAGES if ">>> " in page.read_text(encoding="utf-8")]
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS

FENCE = re.compile(r"^[ \t]*```.*$", flags=re.MULTILINE)
LINK = re.compile(r"\]\(([^)\s]+)\)")


def name_of(page):
    return str(page.relative_to(ROOT))


def failures(text, name):
    """Run the examples of a page, which share their names, and return how many fail, and how."""
    # The closing fence of a block would be read as output.
    examples = doctest.DocTestParser().get_doctest(FENCE.sub("", text), {}, name, name, 0)
    said = []
    outcome = doctest.DocTestRunner(optionflags=OPTIONS).run(examples, out=said.append)
    return outcome.failed, "".join(said)


def dead_links(page):
    """Return the links of a page to files of this repository that are not there."""
    targets = [target.split("#")[0] for target in LINK.findall(page.read_text(encoding="utf-8"))]
    local = [target for target in targets if target and "://" not in target]
    files = {target: Path(os.path.normpath(page.parent / target)) for target in local}
    return [target for target, file in files.items() if not file.exists()]


@pytest.mark.parametrize("page", SHOWN, ids=name_of)
def test_examples_give_what_the_page_says(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # examples may write files

    n_failed, said = failures(page.read_text(encoding="utf-8"), page.name)

    assert n_failed == 0, said


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page):
    assert dead_links(page) == []


def test_a_wrong_example_fails():
    right = "```python\n>>> 1 + 1\n2\n```\n"

    assert failures(right, "right")[0] == 0
    assert failures(right.replace("2", "3"), "wrong")[0] == 1


def test_a_dead_link_is_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("[here](page.md#top), [gone](gone.md), [away](https://example.org/gone)")

    assert dead_links(page) == ["gone.md"]
