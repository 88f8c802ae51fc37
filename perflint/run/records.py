"""Launches kept as data: what ran, how, and the memory it found. `perflint run --record` files.

A file is a zip: `launches.json`, each module's PTX and each allocation's bytes once, by digest.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from perflint.lint.recorded_launches import RecordedLaunch, Records
from perflint.run.launches import Job, pointers
from perflint.run.memory import HostRegion
from perflint.sim.launch import ImageRegion, ImageTexture, MemoryImage, Texture
from perflint.sim.recorded_memory import PitchedBound

_FORMAT = 1


class RecordError(Exception):
    """A file that is no record of launches; the message says why."""


def recorded(job: Job, number: int) -> RecordedLaunch:
    """A launch that has run, with the memory that `Regions.keep` kept of it."""
    request = job.request
    return RecordedLaunch(
        job.loaded.digest, job.kernel, request.grid, request.block, request.shared, number, number,
        _image(job), request.parameters,
    )  # fmt: skip


def _image(job: Job) -> MemoryImage | None:
    kept = job.regions.kept
    if kept is None or job.regions.room < 0:
        return None
    constants = {r.number for r in job.loaded.variables.values() if r.constant}
    # Constants are small, and another version of the kernel may read what this one did not.
    for region in job.loaded.variables.values():
        if region.number not in kept and region.constant:
            kept[region.number] = region.contents()
    regions = tuple(
        ImageRegion(number, job.name_of(number), data, number in constants)
        for number, data in sorted(kept.items())
    )
    textures = {
        number: ImageTexture(b.texture, b.pitch if isinstance(b, PitchedBound) else 0)
        for number, b in job.textures.items()
        if number in kept and isinstance(b.region, HostRegion)
    }
    return MemoryImage(job.request.parameters, regions, dict(job.loaded.symbols()), textures)


# --- files ----------------------------------------------------------------------------------------


def write(path: Path, records: Records) -> None:
    """Write a record. Raises OSError."""
    blobs: dict[str, np.ndarray] = {}
    launches = [_as_json(each, blobs) for each in records.launches]
    head = {
        "format": _FORMAT,
        "modules": {d: len(t) for d, t in records.modules.items()},
        "launches": launches,
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
        file.writestr("launches.json", json.dumps(head, indent=1))
        for digest, texts in records.modules.items():
            for number, text in enumerate(texts):
                file.writestr(f"modules/{digest}.{number}.ptx", text)
        for digest, data in blobs.items():
            file.writestr(f"memory/{digest}", data.tobytes())


def _as_json(launch: RecordedLaunch, blobs: dict[str, np.ndarray]) -> dict[str, Any]:
    out: dict[str, Any] = {
        "module": launch.module, "kernel": launch.kernel, "grid": launch.grid,
        "block": launch.block, "shared": launch.shared, "number": launch.number,
        "alike": launch.alike, "parameters": launch.parameters.hex(), "memory": None,
    }  # fmt: skip
    if launch.image is not None:
        regions = []
        for region in launch.image.regions:
            digest = hashlib.sha256(region.data.tobytes()).hexdigest()[:32]
            blobs[digest] = region.data
            regions.append([region.number, region.name, region.constant, digest])
        textures = [
            [number, found.pitch, {k: v for k, v in asdict(found.texture).items() if k != "data"}]
            for number, found in launch.image.textures.items()
        ]
        out["memory"] = {
            "regions": regions, "symbols": dict(launch.image.symbols), "textures": textures,
        }  # fmt: skip
    return out


def read(path: Path) -> Records:
    """Read a record. Raises RecordError."""
    try:
        with zipfile.ZipFile(path) as file:
            head = json.loads(file.read("launches.json"))
            if head.get("format") != _FORMAT:
                raise RecordError(f"{path}: written by another version of perflint")
            modules = {
                digest: tuple(file.read(f"modules/{digest}.{n}.ptx").decode() for n in range(count))
                for digest, count in head["modules"].items()
            }
            launches = tuple(_from_json(each, file) for each in head["launches"])
    except OSError as error:
        raise RecordError(f"{path}: {error.strerror}") from error
    except (zipfile.BadZipFile, KeyError, ValueError, TypeError, AttributeError) as error:
        raise RecordError(f"{path}: no record of launches ({error})") from error
    return Records(modules, launches)


def _from_json(each: dict[str, Any], file: zipfile.ZipFile) -> RecordedLaunch:
    parameters = bytes.fromhex(each["parameters"])
    image = None
    if (memory := each["memory"]) is not None:
        regions = tuple(
            ImageRegion(number, name, np.frombuffer(file.read(f"memory/{d}"), np.uint8), constant)
            for number, name, constant, d in memory["regions"]
        )
        textures = {
            number: ImageTexture(Texture(**{**shape, "extents": tuple(shape["extents"])}), pitch)
            for number, pitch, shape in memory["textures"]
        }
        image = MemoryImage(parameters, regions, memory["symbols"], textures)
    return RecordedLaunch(
        each["module"], each["kernel"], tuple(each["grid"]), tuple(each["block"]), each["shared"],
        each["number"], each["alike"], image, parameters,
    )  # fmt: skip


def merged(parts: Iterable[Records]) -> Records:
    """The records of several processes as one."""
    modules: dict[str, tuple[str, ...]] = {}
    launches: list[RecordedLaunch] = []
    for part in parts:
        modules |= part.modules
        launches += part.launches
    return Records(modules, tuple(launches))


__all__ = ["RecordError", "merged", "pointers", "read", "recorded", "write"]
