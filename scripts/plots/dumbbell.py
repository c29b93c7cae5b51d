#!/usr/bin/env -S uv run --script
# /// script
# requires-python = ">=3.10"
# dependencies = ["matplotlib==3.11.2"]
# ///
"""Dumbbells: continuation reads of each changed case on both sides (cases.csv)."""
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from common import BASELINE, CANDIDATE, arguments, number, rows

MOST = 60
folder, picture = arguments(__doc__)
cases = rows(folder, "cases.csv", metric="continuation_reads", state="paired")
changed = [row for row in cases if number(row["delta"])]
changed.sort(key=lambda row: -abs(number(row["delta"])))
shown = changed[:MOST][::-1]
figure, axes = plt.subplots(figsize=(7, 0.25 * len(shown) + 1.5), layout="constrained")
for place, row in enumerate(shown):
    ends = number(row["baseline_mean"]), number(row["candidate_mean"])
    axes.plot(ends, [place, place], color="#999999", zorder=1)
    axes.scatter(ends[:1], [place], color=BASELINE, marker="o", zorder=2)
    axes.scatter(ends[1:], [place], color=CANDIDATE, marker="s", zorder=2)
axes.set_yticks(range(len(shown)), [row["case_id"] for row in shown], fontsize=7)
axes.set_xlabel("continuation reads, mean of an attempt\ncircle baseline, square candidate")
axes.set_title(f"{len(changed)} of {len(cases)} cases changed", fontsize=9)
figure.savefig(picture)
