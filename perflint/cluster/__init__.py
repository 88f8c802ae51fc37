"""The same work on a Dask cluster: `perflint check --cluster ADDRESS`.

The sources that a run may read travel with its tasks (`bundle`). A worker unpacks them below a
folder of its own, and lets a process with limits do the work there (`worker`, `foreman`), so that a
worker needs perflint and nothing of the checkout. What comes back is what this machine would have
found (`perflint.work.transport`).

Whoever can reach the scheduler can run programs on it and its workers, and is sent the sources: a
cluster is trusted like the machine itself.
"""

from __future__ import annotations

from perflint.work.crew import ProcessError


class ClusterError(ProcessError):
    """A cluster cannot be used; the message says why."""
