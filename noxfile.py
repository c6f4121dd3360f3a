import nox

nox.needs_version = ">=2025.2"
nox.options.default_venv_backend = "uv|virtualenv"
nox.options.reuse_venv = "yes"
nox.options.sessions = ["lint", "layout", "types", "imports", "tests", "minimums", "nojit"]

PYPROJECT = nox.project.load_toml("pyproject.toml")


def group(name: str) -> tuple[str, ...]:
    """Return the requirements of one dependency group."""
    return nox.project.dependency_groups(PYPROJECT, name)


@nox.session
def lint(session: nox.Session) -> None:
    """Look for mistakes (ruff)."""
    session.install(*group("lint"))
    session.run("ruff", "check", *session.posargs)


@nox.session
def layout(session: nox.Session) -> None:
    """Check the layout of the text (ruff format)."""
    session.install(*group("lint"))
    session.run("ruff", "format", "--check", *session.posargs)


@nox.session
def types(session: nox.Session) -> None:
    """Check the types (mypy)."""
    session.install("-e", ".", *group("types"))
    session.run("mypy", *session.posargs)


@nox.session
def imports(session: nox.Session) -> None:
    """Check who imports whom (import-linter)."""
    session.install("-e", ".", *group("imports"))
    session.run("lint-imports", *session.posargs)


@nox.session
def tests(session: nox.Session) -> None:
    """Run every test and doctest."""
    session.install("-e", ".", *group("test"))
    session.run("pytest", "-n", "2", *session.posargs)


@nox.session(python="3.11", venv_backend="uv")
def minimums(session: nox.Session) -> None:
    """Run the fast tests on the lowest versions that pyproject.toml allows."""
    session.install("--resolution", "lowest-direct", "-e", ".", *group("test"))
    session.run("pytest", "-n", "2", "-m", "not slow", "tests", *session.posargs)


@nox.session
def nojit(session: nox.Session) -> None:
    """Run the loops and their twins with the compiler off."""
    session.install("-e", ".", *group("test"))
    session.run("pytest", "tests/twins", *session.posargs, env={"NUMBA_DISABLE_JIT": "1"})


@nox.session
def bench(session: nox.Session) -> None:
    """Run the benchmarks."""
    session.install("-e", ".", *group("test"))
    session.run(
        *("pytest", "benchmarks", "--benchmark-only", "--ignore=benchmarks/compare"),
        *("-o", "python_files=bench_*.py", "-o", "python_functions=bench_*"),
        *session.posargs,
    )


@nox.session
def peers(session: nox.Session) -> None:
    """Compare with other packages; metric-learn 0.7.0 needs a scikit-learn before 1.8."""
    others = ("active-semi-supervised-clustering", "metric-learn==0.7.0", "scikit-learn<1.8")
    session.install("-e", ".", *others)
    session.run("python", "benchmarks/compare/peers.py", *session.posargs)
