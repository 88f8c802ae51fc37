"""Which of a launch's arrays other kernels may write: what passes between kernels on the device."""

from __future__ import annotations

from collections.abc import Iterator

from perflint.base.patterns import pattern
from perflint.frontend.source.language.model import LaunchSite, SourceKernel, SourceParameter
from perflint.lint.subject import Subject

_ELEMENT = pattern(r"&\s*[\w.>-]+\s*\[[^\[\]]*[^\s0\[\]][^\[\]]*\]")  # not `&a[0]`, which is `a`


def written_elsewhere(subject: Subject, argument_texts: tuple[str, ...]) -> frozenset[int]:
    """The arguments that a launch of another kernel passes, too, where it may be written through.

    Arguments are one where they are written alike: `d_a`. Through a pointer to `const` nothing is
    written. Single elements, `&sums[2]`, are mostly what kernels hand on to each other, by way of
    functions that have other names for them.
    """
    others = {text for site in _launches(subject) for text in _written(subject, site)}
    others |= subject.written
    return frozenset(
        i for i, text in enumerate(argument_texts) if text in others or _ELEMENT.fullmatch(text)
    )


def _launches(subject: Subject) -> Iterator[LaunchSite]:
    for file in subject.facts.values():
        for site in file.launches:
            if site.kernel != subject.origin.kernel:
                yield site


def _written(subject: Subject, site: LaunchSite) -> Iterator[str]:
    """The arguments that a kernel may write through, as its launch has them."""
    kernel = _kernel(subject, site)
    for number, argument in enumerate(site.arguments):
        if kernel is None or number >= len(kernel.parameters):
            yield argument.text
            continue
        if may_write(kernel.parameters[number]):
            yield argument.text


def may_write(parameter: SourceParameter) -> bool:
    """Whether a kernel may write through an argument."""
    return parameter.pointer and "const" not in parameter.type.split("*")[0]


def _kernel(subject: Subject, site: LaunchSite) -> SourceKernel | None:
    for file in subject.facts.values():
        for kernel in file.kernels:
            if kernel.name == site.kernel and len(kernel.parameters) == len(site.arguments):
                return kernel
    return None
