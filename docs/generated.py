"""What of the documentation is in the code already: a page a rule, the options, the formats.

A hook of mkdocs (`hooks` in mkdocs.yml). The pages that people write are those in this folder; they
come first in the navigation, in the order of `WRITTEN`, and what is not listed there behind it.
"""

from __future__ import annotations

from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

from perflint.cli import pages
from perflint.cli.settings import Option, options
from perflint.lint.options import CheckOptions
from perflint.lint.rulebook import RuleInfo, rules
from perflint.report import formats
from perflint.report.pictures import pictures
from perflint.work.pipeline import check

#: The rules that tell of a single request.
DRAWN = ("CU101", "CU102", "CU103", "CU104", "CU105", "CU201")
_BEHIND = "## How it is confirmed\n"  #: the section that begins behind the pictures

WRITTEN = (
    "index.md",
    "use.md",
    "examples.md",
    "ci.md",
    "cluster.md",
    "profile.md",
    "stress.md",
    "view.md",
    "run.md",
    "triton.md",
    "silence.md",
    "why.md",
    "editors.md",
    "versioning.md",
    "architecture.md",
    "grab.md",
    "trace.md",
)


def on_config(config: Any) -> Any:
    """The navigation: what is written, the reference, the rules."""
    written = sorted(path.name for path in Path(config.docs_dir).glob("*.md"))
    more = [name for name in written if name not in WRITTEN]
    config.nav = [
        *(name for name in WRITTEN if name in written),
        *more,
        {"Configuration": "configuration.md"},
        {"Report formats": "formats.md"},
        {"Rules": ["rules/index.md", *(f"rules/{code}.md" for code in rules())]},
    ]
    return config


def on_files(files: Files, config: Any) -> Files:
    """The pages made from the code."""
    made = {
        "configuration.md": configuration(),
        "formats.md": report_formats(),
        "rules/index.md": rule_list(),
    }
    made |= {f"rules/{code}.md": rule_page(rule) for code, rule in rules().items()}
    for uri, text in made.items():
        files.append(File.generated(config, uri, content=text))
    return files


def configuration() -> str:
    """Every option, as the table in `perflint/cli/settings.py` has it."""
    head = """\
# Configuration

In the nearest `perflint.toml`, or in `pyproject.toml` under `[tool.perflint]`, at or above the
paths given, up to the repository's root; below it your own, `~/.config/perflint/perflint.toml`. The
command line wins, then the project's file, then your own. `perflint config` shows what is in force
and who says so.

Paths are relative to the file that holds them. An unknown key is an error. A project's file may
come from a stranger: it names no program to run (`nvcc = true` takes the one on the PATH) and no
directory outside the project. Those come from the command line or from your own file.
"""
    return head + "".join(_option(option) for option in options().values())


def _option(option: Option) -> str:
    flags = ", ".join(f"`{flag}`" for flag in (option.short, f"--{option.name}") if flag)
    metavar = f" `{option.metavar}`" if option.metavar else ""
    lines = [f"\n## {option.name}\n", f"{option.help}\n", f"- command line: {flags}{metavar}"]
    if option.file:
        lines.append(f"- in a file: {option.kind.toml}, `{option.name} = {option.example}`")
    else:
        lines.append("- not in a file")
    if option.default_text:
        lines.append(f"- default: {option.default_text}")
    if option.merge != "replace":
        lines.append("- what files and the command line say is joined")
    return "\n".join(lines) + "\n"


def report_formats() -> str:
    """The report formats, as their modules describe themselves."""
    rows = "".join(f"| `{name}` | {text} |\n" for name, text in formats().items())
    return (
        "# Report formats\n\n`--output-format FORMAT` prints, `--output-format FORMAT=FILE` writes "
        "a file; it may be given several times. The same input gives the same bytes.\n\n"
        f"| format | |\n|---|---|\n{rows}"
    )


def rule_page(rule: RuleInfo) -> str:
    """A rule's page, with its example's worst request drawn where the rule tells of one."""
    page = pages.markdown([rule])
    return page.replace(_BEHIND, f"{_drawn(rule)}{_BEHIND}", 1) if rule.code in DRAWN else page


def _drawn(rule: RuleInfo) -> str:
    """What checking the example finds, as text and pictures."""
    section = rule.page.partition("## Example\n")[2]
    example = section.partition("```cuda\n")[2].partition("```")[0]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "example.cu"
        path.write_text(example, encoding="utf-8")
        options = CheckOptions(frozenset({rule.code}), root=Path(folder), jobs=1)
        found = [f for f in check([path], options).findings if f.request is not None]
    if not found:
        raise PluginError(f"{rule.code}: nothing was found in the example that could be drawn")
    figures = "".join(
        f'<figure style="margin:0 2em 1em 0"><figcaption><strong>{escape(each.heading)}</strong>: '
        f"{escape(each.count)}</figcaption>{each.svg}</figure>"
        for each in pictures(found[0])
    )
    # on one line: Markdown leaves it as it is
    return (
        f"The example, simulated: {found[0].message}. Its worst request, and the same request "
        "after the change. Lanes are at the left; the pointer tells of each box what it is.\n\n"
        f'<div style="display:flex;flex-wrap:wrap;align-items:flex-start">{figures}</div>\n\n'
    )


def rule_list() -> str:
    """All rules, with links to their pages."""
    rows = "".join(
        f"| [{rule.code}]({rule.code}.md) | {rule.name} | {rule.summary} | {rule.status} |\n"
        for rule in rules().values()
    )
    return (
        "# Rules\n\nCodes never change and are never used again. Rules in preview run with "
        "`--preview` only: they may still change.\n\n"
        f"| code | name | | status |\n|---|---|---|---|\n{rows}"
    )
