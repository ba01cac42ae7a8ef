"""The run from start to end: simulate, draw, explain."""

from __future__ import annotations

from pathlib import Path

from examples.demo.contest import Size, hold_contest
from examples.demo.mask_picture import draw_masks
from examples.demo.page import write_page
from examples.demo.partition_picture import draw_partition, fit_pictured
from examples.demo.table import text_table
from examples.demo.trade_off import draw_trade_off


def run(out: Path, size: Size, *, progress: bool = True) -> Path:
    """Hold the contest, print its table, write pictures and page to `out`, and return the page."""
    out.mkdir(parents=True, exist_ok=True)
    contest = hold_contest(size, progress=progress)
    print(text_table(contest))
    models = fit_pictured(size)
    draw_trade_off(contest, out)
    draw_partition(models, out)
    draw_masks(out)
    return write_page(contest, models[0], out)
