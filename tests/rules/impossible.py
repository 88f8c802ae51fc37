"""Which objections cannot meet which rules. All others are met in a test.

What a rule's files never set (`data=`, `cut=` …) is read from them: see `test_objections.py`.
"""

from __future__ import annotations

from collections.abc import Mapping

Pair = tuple[str, str]  #: a rule's code, and an objection's name

_ARITHMETIC = "it is about instructions that have no address"
_STEP = "its step is a constant: whatever the data, the formula says that full warps scatter too"
_FIRST = "it compares runs that came to their end, and says nothing of others"
_ONE = "it measures the first run alone"
_WHOLE = "it keeps silent itself where a run does not bear it out"
_STEPS = "it suspects only threads at a constant distance"
_FORMULA = "by the formula of its address full warps move single bytes, whatever the values are"
_BLOCKS = "of whole blocks no run is made with data or strides that may be friendlier"

_LAUNCHED = "it speaks only of launches that it sees"

_WHY: Mapping[str, Mapping[str, str]] = {
    "nothing to report": {"CU705": "every run gives the arguments that its divisors are made of"},
    "not reached": {
        **dict.fromkeys(("CU301", "CU302", "CU303"), "what no run loads, no cache loses"),
        **dict.fromkeys(
            ("CU403", "CU404", "CU405", "CU406"), "it is about the launch, which was made"
        ),
        **dict.fromkeys(("CU401", "CU402", "CU601", "CU602", "CU801", "CU902"), _WHOLE),
        **dict.fromkeys(
            ("CU702", "CU703", "CU704", "CU706", "CU707"), "its edit saves nothing there"
        ),
        "CU503": "it counts the loads of the whole kernel",
    },
    "nothing wasted": {
        **dict.fromkeys(("CU401", "CU402", "CU601", "CU602", "CU902"), _WHOLE),
        "CU403": "it suspects only launches that leave lanes without a thread",
        "CU501": "constant memory needs none of the loads",
        "CU705": "a division by any constant costs less",
    },
    "only missing lanes": {
        **dict.fromkeys(("CU102", "CU104"), _STEP),
        **dict.fromkeys(("CU103", "CU105"), "only full warps bear it out"),
    },
    "only a table": {
        "CU103": "it asks that itself, of atomics too",
        "CU105": "where a loaded row begins is not known, and it keeps silent itself",
        "CU201": "it is about shared memory",
    },
    "wrong launch": dict.fromkeys(("CU401", "CU402", "CU902"), _FIRST),
    "broken run": {
        **dict.fromkeys(("CU503", "CU601", "CU602", "CU902"), _FIRST),
        **dict.fromkeys(
            ("CU108", "CU109", "CU502", "CU901", "CU906"), "such a run shows it nothing"
        ),
    },
    "misaligned": dict.fromkeys(("CU601", "CU701", "CU705", "CU901", "CU902"), _ARITHMETIC),
    "out of its region": {
        **dict.fromkeys(("CU601", "CU701", "CU705", "CU901", "CU902"), _ARITHMETIC),
        **dict.fromkeys(
            ("CU201", "CU602", "CU904"), "beyond a shared array is an overrun: wrong launch"
        ),
        "CU109": "what lies so far out it counts for none of the array's",
    },
    "unknown constants": {
        "CU103": "rows that are a constant apart which is not known are CU101's",
        "CU105": "where such a row begins is not known, and it keeps silent itself",
    },
    "invented data decides": {
        **dict.fromkeys(("CU703", "CU706"), "it is about what a loop does again and again"),
        "CU105": "where a warp begins a run alone tells, and what one came to is not open",
        "CU503": "a load of each iteration is too many, however many there are, and says no number",
    },
    "fine with other values": {
        **dict.fromkeys(("CU107", "CU501", "CU503", "CU602", "CU701", "CU705", "CU902"), _ONE),
        "CU601": "it must save instructions in every run, or it keeps silent itself",
        "CU103": _FORMULA,
        "CU904": "one run that shows it is enough",
    },
    "a stride that may be 1": {"CU102": _BLOCKS, "CU103": _FORMULA},
    "loaded address": {
        "CU102": _BLOCKS,
        "CU103": "it suspects no address that is loaded",
        "CU105": "it suspects no address that is loaded",
    },
    "friendlier values not reached": {"CU102": _BLOCKS, "CU103": _FORMULA},
    "stride of a struct": dict.fromkeys(("CU102", "CU103", "CU104", "CU105"), _STEPS),
    "a library's code": {"CU601": "it is about an argument, not about instructions"},
    "a library's structure": {
        "CU102": "of structures that large CU101 and CU104 speak",
        "CU103": "no state of cuRAND's has members of less than a word",
        "CU105": "its threads are less than such a structure apart",
        "CU201": "what lies in shared memory is no parameter",
    },
    "tiny launch": {
        "CU103": "it asks for full warps",
        "CU105": "less than a warp's lanes hardly begin within a sector for much",
        **dict.fromkeys(("CU301", "CU302"), "one warp has no other's lines to lose"),
        "CU801": "it asks for full warps",
        "CU901": "the lanes of one warp cannot be packed into fewer warps",
    },
    "the rule's own": {"CU201": "what textures move is beside global memory alone"},
    "assumed template": {
        **dict.fromkeys(("CU601", "CU902"), "it suspects no template"),
        "CU602": "that another instance may share the array is its own doubt",
    },
    "hardly launched": {
        **dict.fromkeys(("CU501", "CU503", "CU601", "CU902"), _LAUNCHED),
        **dict.fromkeys(("CU602", "CU801", "CU904"), "its block is assumed then, which decides"),
    },
    "little of its program": dict.fromkeys(
        ("CU109", "CU706", "CU707"), "what it finds is a note anyway"
    ),
}

IMPOSSIBLE: Mapping[Pair, str] = {
    (code, objection): why for objection, codes in _WHY.items() for code, why in codes.items()
}
