"""The content security policy of pages that we write: their own style and script, nothing else."""

from __future__ import annotations

import base64
import hashlib


def policy(script: str, style: str) -> str:
    """The policy of a page with one script and one style, which it names by their hashes."""
    return (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"
