"""Kill a server again and again and check the books: python -m benchmarks.service_kills --times 100 --database sqlite.

With PostgreSQL two servers share the database, and either is killed.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from pathlib import Path

from tests.service.kills import kill_studies
from tests.service.stores import cluster


def main() -> None:
    """Print how many kills there were, and when."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=100)
    parser.add_argument("--database", choices=["sqlite", "postgresql"], default="sqlite")
    parser.add_argument("--seed", type=int)
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="semildp-kills-"))
    folder.chmod(0o755)
    try:
        if options.database == "sqlite":
            tally = kill_studies(
                options.times, lambda where: f"sqlite:///{where / 'study.sqlite'}", folder, 1, options.seed
            )
        else:
            with cluster(folder / "cluster") as running:
                tally = kill_studies(options.times, lambda where: running.database(), folder, 2, options.seed)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{options.database}: {tally}; nothing lost, nothing counted twice, no wave advanced twice")


if __name__ == "__main__":
    main()
