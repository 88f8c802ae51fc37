"""From files to findings: the one way through (docs/architecture.md).

Files are checked in processes beside each other. Whatever goes wrong with one kernel or one file
becomes a line about it and costs nothing else.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import field, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from perflint import cache
from perflint.base import bounds, chance, collector
from perflint.base.endings import ENDINGS, again, word
from perflint.base.real_paths import real_path
from perflint.base.records import dataclass
from perflint.cache.kept import Kept
from perflint.frontend.mangling import nested_name
from perflint.frontend.model import Compilation
from perflint.lint.check_run import Facts
from perflint.lint.findings import FileResult, Result
from perflint.lint.options import CheckOptions, Progress, silent
from perflint.lint.rulebook import modules
from perflint.lint.rulebook import rules as rulebook
from perflint.lint.ruleset import load
from perflint.lint.translation_units import LIMITS, Unit, compile_unit, make_ready, read_facts
from perflint.lint.translation_units import units as units_of
from perflint.work.crew import Here
from perflint.work.order import Order
from perflint.work.parallel import Crash, Workers, alone, ending, in_order, lease, tell, workers

if TYPE_CHECKING:
    from perflint.frontend.source.language.model import SourceFacts
    from perflint.frontend.source.launches.asked_kernels import AskedKernels
    from perflint.lint.check_run import Run
    from perflint.work.launch_listing import KernelLaunches

#: Kernels of a record that are named in one line.
_NAMED = 5

S = TypeVar("S")
T = TypeVar("T")


def check(paths: Sequence[Path], options: CheckOptions) -> Result:
    """Lint `paths` (files, as discovery found them) and return everything there is to say.

    A run that is ended from outside returns what it has where `options.partial` says so.
    Raises ProcessError where no process can be started to check them in.
    """
    with bounds.within(options.bound), collector.seldom():
        result = _check(paths, options)
    if result.ended and not options.partial:
        raise again(result.ended)
    return result


def _check(paths: Sequence[Path], options: CheckOptions) -> Result:
    found = units_of(paths, options)
    root = bounds.shared(paths)
    with closing(cache.opened(found.units, options, root)) as kept:
        results, ended = _kept_or_new(found.units, options, root, kept)
    from perflint.work.gather import gather  # not before the compiler is at work

    names = {name for result in results for name in result.names}
    result = gather(results, options, paths)
    unused = (*_unused_launches(options, names), *_unused_records(options, names))
    remarks = (*unused, *found.remarks, *result.remarks)
    archs = tuple(dict.fromkeys(unit.arch for unit in found.units))
    return replace(result, remarks=remarks, archs=archs, ended=ended)


def _kept_or_new(
    units: Sequence[Unit], options: CheckOptions, root: Path, kept: Kept
) -> tuple[list[FileResult], str]:
    """What came of each file, in order: what is kept of earlier runs, and the others checked now.

    And how the run was ended, if it was: then there is what was known by then. Everything that is
    needed only to check a file is imported only if one must be.
    """
    known = {unit: result for unit in units if (result := kept.get(unit)) is not None}
    if all(unit in known for unit in units):
        return [known[unit] for unit in units], ""
    import_module("perflint.frontend.translation_unit").forget()
    with _staff(units, options, root) as staff:
        try:
            one = options.jobs == len(units) == 1 and options.cluster is None
            if one and (result := _in_one_process(units, options, root)) is not None:
                kept.put(units[0], result)
                return [result], ""
            read = _read(units, options, root, staff)
        except ENDINGS as error:
            run = _run_of(options, root, _Read({}, {}, {}))
            return _ended(units, known, run), word(error)
        return _checked(units, known, options, root, read, kept.put, staff)


def _in_one_process(units: Sequence[Unit], options: CheckOptions, root: Path) -> FileResult | None:
    """What came of the one file of a run, whose compiler then starts once. None: a process died.

    Then others are to do the same, one after the other, so that one step of it is lost.
    """

    def work() -> tuple[FileResult, bool]:
        make_ready(options)
        read = _read(units, options, root, _here)
        lease(LIMITS.cpu_seconds)
        (result,), _ = _checked(units, {}, options, root, read, lambda *_: None, _here)
        return result, chance.spoiled()

    found = alone(work, LIMITS, lambda what: options.progress(0, 1, what))
    if isinstance(found, Crash):
        return None
    result, spoiled = found
    if spoiled:
        chance.spoil()
    return result


def _here(function: Callable[[S], T], *, heard: Callable[[str], None]) -> Workers[S, T]:
    """This process, of which others hear already."""
    return Here(function, limits=LIMITS)


def _checked(
    units: Sequence[Unit],
    known: Mapping[Unit, FileResult],
    options: CheckOptions,
    root: Path,
    read: _Read,
    put: Callable[[Unit, FileResult], None],
    staff: Staff,
) -> tuple[list[FileResult], str]:
    """What came of files that were read, in order, and how the run was ended, if it was."""
    todo = [u if u in known else replace(u, fault=read.faults.get(u.path, u.fault)) for u in units]
    return _results(todo, known, _run_of(options, root, read), put, staff, options.progress)


def _run_of(options: CheckOptions, root: Path, read: _Read) -> Run:
    from perflint.lint.check_run import Run

    mine = replace(options, progress=silent, cache=None, database=None)
    return Run(mine, load(_wanted(options)), read.facts, root, read.compiled, read.above)


def _ended(units: Sequence[Unit], known: Mapping[Unit, FileResult], run: Run) -> list[FileResult]:
    """What there is to say of files that were not all read."""
    from perflint.work.assembly import Assembly

    return [known.get(u) or Assembly(n, u, run).ended() for n, u in enumerate(units)]


def listing(paths: Sequence[Path], options: CheckOptions) -> list[KernelLaunches]:
    """Every kernel of some files with the launches that it would be tried with.

    Raises ProcessError where no process can be started to read them in.
    """
    if not paths:
        return []
    from perflint.lint.check_run import Run
    from perflint.work.launch_listing import KernelLaunches, Listing
    from perflint.work.untried_launches import with_untried

    with bounds.within(options.bound), collector.seldom():
        root = bounds.shared(paths)
        found = units_of(paths, options).units
        mine = replace(options, progress=silent, database=None)
        out: list[KernelLaunches] = []
        with _staff(found, options, root) as staff:
            read = _read(found, options, root, staff)
            todo = tuple(replace(u, fault=read.faults.get(u.path, u.fault)) for u in found)
            run = Run(mine, load(()), read.facts, root, read.compiled, read.above)
            crew = staff(
                Listing(todo, run), heard=lambda what: options.progress(0, len(todo), what)
            )
            with ending(crew):
                for number in range(len(todo)):
                    crew.submit(number)
                for unit, each in zip(todo, in_order(crew), strict=True):
                    if isinstance(each, Crash):
                        each = (KernelLaunches("", unit.path, 1, reason=each.reason),)
                    out += each
        # A header's kernels come with each file that includes it.
        return list(dict.fromkeys(with_untried(out, read.facts)))


class Staff(Protocol):
    """Finds workers for a function that pickles, here or on other machines."""

    def __call__(
        self, function: Callable[[S], T], *, heard: Callable[[str], None]
    ) -> Workers[S, T]: ...


@contextmanager
def _staff(units: Sequence[Unit], options: CheckOptions, root: Path) -> Iterator[Staff]:
    """Who is to do the work. Raises ProcessError."""
    if options.cluster is None:
        yield partial(workers, jobs=options.jobs, limits=LIMITS)
        return
    from perflint.cluster.client import connected

    with connected(options.cluster, units, options, root) as cluster:
        yield partial(cluster.workers, limits=LIMITS)


def _wanted(options: CheckOptions) -> Collection[str]:
    """The rules that must look at the files."""
    if "CU002" not in options.rules:
        return options.rules
    # CU002 lists the kernels that the other rules could not see, so these must have looked; those
    # of other packages need not: one that fails can be left out
    book = modules(rulebook())
    return [c for c, (_, package) in book.items() if c in options.rules or not package.added_by]


def _results(
    units: Sequence[Unit],
    known: Mapping[Unit, FileResult],
    run: Run,
    put: Callable[[Unit, FileResult], None],
    staff: Staff,
    progress: Progress,
) -> tuple[list[FileResult], str]:
    """What came of each file, in order, known or new; kept as soon as it is there.

    And how the run was ended, if it was.
    """
    from perflint.work.assembly import Assembly
    from perflint.work.filecheck import Checking

    order = Order(units, run.facts)
    order.results |= {n: known[unit] for n, unit in enumerate(units) if unit in known}
    files = [Assembly(number, unit, run) for number, unit in enumerate(units)]
    crew = staff(
        Checking(tuple(units), run),
        heard=lambda what: progress(len(order.results), len(units), what),
    )

    def begin(number: int) -> None:
        if (result := order.without_check(number)) is not None:
            finish(number, result)
        else:
            crew.submit(files[number].first(order.elsewhere(number)))

    def finish(number: int, result: FileResult) -> None:
        ready = order.took(number, result)
        put(units[number], order.results[number])
        for each in ready:
            begin(each)

    ended = ""
    with ending(crew):
        try:
            for number in [*filter(order.is_ready, largest_first(units))]:
                begin(number)
            for part, answer in crew.completed():
                for more in files[part.file].took(part, answer, crew.idle):
                    crew.submit(more, soon=True)
                if (result := files[part.file].result) is not None:
                    finish(part.file, result)
        except ENDINGS as error:
            ended = word(error)
    return [order.results.get(n) or files[n].ended() for n in range(len(units))], ended


def largest_first(units: Sequence[Unit]) -> list[int]:
    """The files by size, which is the best that is known of how long they take."""

    def size(number: int) -> int:
        try:
            return units[number].path.stat().st_size
        except OSError:
            return 0

    return sorted(range(len(units)), key=size, reverse=True)


def _unused_launches(options: CheckOptions, names: Collection[str]) -> Iterator[str]:
    """A remark on each launch given for a kernel that is in none of the files."""
    for spec in options.launches:
        if spec.kernel.partition("<")[0].rpartition("::")[2] not in names:
            yield f"--launch names `{spec.kernel}`, and no file has a kernel of that name"


def _unused_records(options: CheckOptions, names: Collection[str]) -> Iterator[str]:
    """What of a record of launches fits no kernel of the files."""
    if options.recorded is None:
        return
    others = {r.kernel for r in options.recorded.launches} - set(names)
    short = {name: nested_name(name)[-1] for name in sorted(others)}
    if changed := sorted({s for s in short.values() if s in names}):
        yield (
            f"--launches: {', '.join(changed[:_NAMED])}: launches were recorded with other "
            "parameters, and were not used; record the program again"
        )
    if absent := sorted({s for s in short.values() if s not in names}):
        more = f" and {len(absent) - _NAMED} more" if len(absent) > _NAMED else ""
        yield f"--launches: no file has the recorded {', '.join(absent[:_NAMED])}{more}"


@dataclass(frozen=True)
class _Found:
    """What a process finds in a source file."""

    facts: Facts | None
    compiled: Compilation | None = None
    whole: bool = True  #: no clock and no shortage of memory had a part in it
    #: (path, text) of a file without `facts` here, as a launch of it hangs on what is not in sight
    open: tuple[Path, str] | None = None


@dataclass(frozen=True)
class _Reading:
    """What processes do to find the facts of some files; and to compile them, with `ahead`.

    With `closed` those of files with an open launch are left for later. Launches of other kernels
    than the `asked` may be left out.
    """

    units: tuple[Unit, ...]
    root: Path
    others: Mapping[Path, str] | None = None
    closed: bool = False
    ahead: CheckOptions | None = None
    asked: AskedKernels | None = None

    def __call__(self, number: int) -> _Found:
        unit = self.units[number]
        tell(str(unit.path))
        cuts = chance.cuts()
        found = self._read(unit) if self.ahead is None else self._compiled(unit, self.ahead)
        return replace(found, whole=chance.cuts() == cuts)

    def _read(self, unit: Unit) -> _Found:
        from perflint.frontend.source.launches.launch_sites import OpenLaunchError

        try:
            return _Found(read_facts(unit, self.root, self.others, self.closed, self.asked))
        except OpenLaunchError as launch:
            return _Found(None, open=(launch.path, launch.text))

    def _compiled(self, unit: Unit, ahead: CheckOptions) -> _Found:
        make_ready(ahead)
        facts, compiled = _read_beside(unit, self.root), None
        lease(LIMITS.cpu_seconds)
        with contextlib.suppress(Exception):  # checking compiles again, and tells
            compiled = compile_unit(unit, ahead, self.root, facts)
        return _Found(facts, compiled)


@dataclass(frozen=True)
class _Read:
    """What is known of the files before any is checked."""

    facts: Mapping[Path, Facts]  #: of the files given and of their headers, by the file given
    faults: Mapping[Path, str]  #: why those of others cost more than a file may
    compiled: Mapping[Unit, Compilation]  #: what was compiled already
    above: Mapping[Path, Facts] = field(default_factory=dict)  #: of sources that include a file


def _read(units: Sequence[Unit], options: CheckOptions, root: Path, staff: Staff) -> _Read:
    """Read the source files.

    A file with launches that cannot be read by themselves is read with others in sight: block sizes
    may come from a caller or a header there. One that is given by itself is compiled, too, while
    this process imports what checking takes.
    """
    sources = list({u.path: u for u in units if u.path.suffix != ".ptx"}.values())
    ahead = options if len(units) == len(sources) == 1 and options.cluster is None else None
    if sources:  # processes need it, and so does this one
        with collector.resting():
            import_module("perflint.frontend.nvrtc.cuda_file")
    read = partial(_facts, options=options, root=root, staff=staff)
    first = read(sources, closed=True, ahead=ahead)
    faults = {path: crash.reason for path, crash in first.items() if isinstance(crash, Crash)}
    compiled = {
        unit: f.compiled
        for unit in sources
        if isinstance(f := first[unit.path], _Found) and f.compiled is not None
    }
    found = _with_facts(first)
    texts = {main.path: main.text for main in map(_main, found.values())} | _open(first)
    found |= _read_open(sources, first, texts, read)
    wanted = _launching(sources, found)
    if not wanted:
        return _Read(found, faults, compiled)
    from perflint.frontend.source.launches.asked_kernels import AskedKernels

    read = partial(read, asked=AskedKernels.of(found.values()))
    more = read(wanted, closed=True)
    above = _with_facts(more) | _read_open(wanted, more, texts, read)
    return _Read(found, faults, compiled, above)


_Answers = Mapping[Path, _Found | Crash]  #: by the file that was given


def _with_facts(answers: _Answers) -> dict[Path, Facts]:
    return {
        path: found.facts
        for path, found in answers.items()
        if isinstance(found, _Found) and found.facts is not None
    }


def _open(answers: _Answers) -> dict[Path, str]:
    """The texts of the files that were left, by their real paths."""
    return dict(f.open for f in answers.values() if isinstance(f, _Found) and f.open is not None)


def _read_open(
    units: Sequence[Unit], first: _Answers, given: Mapping[Path, str], read: Callable[..., _Answers]
) -> dict[Path, Facts]:
    """The facts of files with launches that are not read whole, with all others in sight.

    Others are those of the run, and what lies beside: a file that is given by itself means what
    it means among its neighbours. Where these cost it more than a file may, it is read without.
    """
    left = [u for u in units if isinstance(f := first[u.path], _Found) and f.open is not None]
    if not left:
        return {}
    from perflint.frontend.source.project.neighbours import companions

    texts = dict(given)
    for path in _open(first):
        texts = companions(path, {".cu"}) | texts
    among = read(left, texts)
    alone = [u for u in left if isinstance(among[u.path], Crash)]
    return _with_facts(among) | (_with_facts(read(alone)) if alone else {})


def _launching(units: Sequence[Unit], found: Mapping[Path, Facts]) -> list[Unit]:
    """The sources, not given, that may launch kernels of a file given which nothing launches there.

    They include the file, or lie beside it and launch something of that name.
    """
    from perflint.frontend.finder import project_root
    from perflint.frontend.includers import sources_above
    from perflint.frontend.source.project.linkage import may_be_linked
    from perflint.frontend.source.project.neighbours import beside_launching

    launched = {site.kernel for facts in found.values() for site in _main(facts).launches}
    given = {unit.path.resolve() for unit in units}
    wanted: dict[Path, Unit] = {}
    for unit in units:
        kernels = {k.name for k in _main(found[unit.path]).kernels} if unit.path in found else set()
        if not (missing := kernels - launched):
            continue
        path = unit.path.resolve()
        text = _main(found[unit.path]).text
        beside = beside_launching(path, missing)
        sources = [p for p, other in beside if may_be_linked(path, text, p, other)]
        if missing == kernels:
            sources += sources_above(project_root(path)[0], path)
        for source in sources:
            if source not in given and source.suffix == ".cu":
                wanted.setdefault(source, replace(unit, path=source))
    return list(wanted.values())


def _import_all(options: CheckOptions) -> None:
    """Import what checking takes: forked processes then have it."""
    with collector.resting(), _one_thread():
        import_module("perflint.work.assembly")
        load(_wanted(options))


@contextmanager
def _one_thread() -> Iterator[None]:
    """NumPy's BLAS, imported meanwhile, starts no threads, which would spin and have no work.

    The programs that a run starts later are told nothing of it.
    """
    name = "OPENBLAS_NUM_THREADS"
    given = name in os.environ
    os.environ.setdefault(name, "1")
    try:
        yield
    finally:
        if not given:
            del os.environ[name]


def _main(facts: Facts) -> SourceFacts:
    """Those of the file itself: its headers' follow."""
    return next(iter(facts.values()))


def _read_beside(unit: Unit, root: Path) -> Facts | None:
    """The facts of a file that is given by itself, at once as `_read_open` would have them."""
    from perflint.frontend.source.launches.launch_sites import OpenLaunchError
    from perflint.frontend.source.project.neighbours import companions

    texts = companions(real_path(unit.path), {".cu"})
    try:
        return read_facts(unit, root, closed=bool(texts))
    except OpenLaunchError:
        lease(LIMITS.cpu_seconds)
        return read_facts(unit, root, texts)


def _facts(
    units: Sequence[Unit],
    others: Mapping[Path, str] | None = None,
    *,
    closed: bool = False,
    ahead: CheckOptions | None = None,
    asked: AskedKernels | None = None,
    options: CheckOptions,
    root: Path,
    staff: Staff,
) -> dict[Path, _Found | Crash]:
    """What processes find in some files, by the file given."""
    progress = options.progress
    crew = staff(
        _Reading(tuple(units), root, others, closed, ahead, asked),
        heard=lambda what: progress(0, len(units), what and f"reading {what}"),
    )
    out: dict[Path, _Found | Crash] = {}
    with ending(crew):
        for number in largest_first(units):
            crew.submit(number)
        _import_all(options)
        for unit, found in zip(units, in_order(crew), strict=True):
            if isinstance(found, Crash) or not found.whole:
                chance.spoil()  # the facts of one file serve the others
            out[unit.path] = found
    return out
