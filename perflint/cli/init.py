"""`perflint init`, from the command line to what was written."""

from __future__ import annotations

import json
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from urllib.parse import unquote, urlsplit

from perflint.base import processes
from perflint.cli import set_up
from perflint.cli.check_command import check
from perflint.cli.discovery import discover
from perflint.cli.output import say
from perflint.cli.settings import Source
from perflint.cli.table_options import LINE

#: What stands where nobody knows from where perflint was installed: to be filled in by hand.
UNKNOWN = set_up.Origin("URL-OF-PERFLINT", "COMMIT-OR-TAG")


def init(repository: str | None, revision: str | None) -> int:
    """Set up the repository around the working directory; 0, or 2 if the baseline failed.

    Raises PathError.
    """
    root = set_up.root_of(Path.cwd())
    found = discover((root,))
    known = installed_from() or UNKNOWN
    origin = set_up.Origin(repository or known.repository, revision or known.revision)
    set_up.set_up(root, found, origin, say)
    if UNKNOWN.repository == origin.repository or UNKNOWN.revision == origin.revision:
        say(f"replace {UNKNOWN.repository} and {UNKNOWN.revision} by where perflint comes from, or "
            "give --repository and --revision")  # fmt: skip
    baseline = root / set_up.BASELINE
    if baseline.exists() or baseline.is_symlink():
        say(f"left {set_up.BASELINE} as it is")
        return 0
    if not found.files:
        say("no CUDA or PTX files are here yet: there is no baseline to write")
        return 0
    status = check((root,), Source(LINE, {"write_baseline": baseline}))
    if not status:
        say("next: commit these files; `pre-commit install` checks each commit from then on")
    return status


def installed_from() -> set_up.Origin | None:
    """The repository that perflint was installed from, as pip notes it (PEP 610)."""
    try:
        noted = distribution("perflint-cuda").read_text("direct_url.json")
    except PackageNotFoundError:
        return None
    data = json.loads(noted) if noted else {}
    git = data.get("vcs_info", {})
    if git.get("vcs") == "git":
        return set_up.Origin(data["url"], git["commit_id"])
    return _checkout(Path(unquote(urlsplit(data.get("url", "")).path)))


def _checkout(folder: Path) -> set_up.Origin | None:
    """A checkout that perflint was installed from, at its commit; None if it is none."""
    git = processes.program("git")
    if git is None or not (folder / ".git").exists() or not (folder / "rules").is_dir():
        return None
    asked = processes.tool(git, f"--git-dir={folder / '.git'}", "rev-parse", "HEAD")
    said = processes.output(asked, seconds=60, most=1000)
    commit = said.out.decode("ascii", "replace").strip()
    return set_up.Origin(str(folder), commit) if said.status == 0 else None
