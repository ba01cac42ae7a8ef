"""Folding on a Dask cluster: one task per part, totals added up in a tree. No report comes back or is shuffled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from dask import delayed
from dask.delayed import Delayed

from semildp.backends.base import Done, Part, add_up, nothing, tally_part
from semildp.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from distributed import Client

B = TypeVar("B")
T = TypeVar("T")

WAYS = 8  # totals that one task adds up


class Dask:
    """A Dask cluster. A task whose worker is lost is run again by another: it reads the same part, to the same totals.

    Parameters
    ----------
    scheduler
        The scheduler's address, or a `distributed.Client`; None: a cluster of processes on this machine, for the time
        of a scan.
    """

    def __init__(self, scheduler: str | Client | None = None) -> None:
        self.scheduler = scheduler

    def fold(self, tally: Callable[[B], T], parts: Sequence[Part[B]], done: Done = nothing) -> T:
        """Add up `tally(batch)` over all batches of all parts.

        A part may also be a Dask `Delayed` that becomes one on a worker: then its length is not known, and counts 0.
        """
        shared = delayed(tally, pure=False)  # sent once; a worker that is lost takes nothing with it
        totals = [delayed(tally_part, pure=False)(shared, part) for part in parts]
        people = [0 if isinstance(part, Delayed) else len(part) for part in parts]
        first = _groups(totals)
        nodes = first
        while len(nodes) > 1:
            nodes = _groups(nodes)
        counts = [sum(people[k : k + WAYS]) for k in range(0, len(people), WAYS)]
        with _client(self.scheduler) as client, client.as_current():
            total: T = _computed(client, nodes[0], first, counts, done)
            return total


def _groups(totals: list[Any]) -> list[Any]:
    """Add up every few totals by one task."""
    return [delayed(add_up, pure=False)(totals[k : k + WAYS]) for k in range(0, len(totals), WAYS)]


def _computed(client: Client, root: Any, first: list[Any], counts: list[int], done: Done) -> Any:
    """Compute the root; tell of each of the first nodes when it is there, and let go of it."""
    from distributed import as_completed

    people = {node.key: count for node, count in zip(first, counts, strict=True)}
    result, *watched = client.compute([root, *first], optimize_graph=False)
    arriving = as_completed(watched)
    del watched
    try:
        for future in arriving:
            if future.status == "error":
                break  # the root says why
            done(people[future.key])
        return result.result()
    except BaseException:
        client.cancel([result], force=True)
        raise


def _connected(address: str) -> Client:
    from distributed import Client

    try:
        return Client(address, set_as_default=False)
    except (OSError, ValueError) as problem:  # nobody is there; no address
        reason = str(problem) or type(problem).__name__
        raise InputError(f"A Dask scheduler must be at {address}. Got: {reason}. Start it, or correct it.") from None


@contextmanager
def _client(scheduler: str | Client | None) -> Iterator[Client]:
    """Return a client: the one that was given, which stays open, or a new one."""
    from distributed import Client, LocalCluster

    if isinstance(scheduler, Client):
        yield scheduler
    elif scheduler is not None:
        with _connected(scheduler) as client:
            yield client
    else:
        with (
            LocalCluster(
                threads_per_worker=1, dashboard_address="127.0.0.1:0", env={"SEMILDP_THREADS": "1"}
            ) as cluster,
            Client(cluster, set_as_default=False) as client,
        ):
            yield client
