#!/usr/bin/env -S uv run --script
# /// script
# requires-python = ">=3.10"
# dependencies = ["matplotlib==3.11.2"]
# ///
"""Forest plot: the change of each metric in percent with Fieller's interval (metrics.csv)."""
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from common import BASELINE, CANDIDATE, arguments, number, rows

folder, picture = arguments(__doc__)
shown = [row for row in rows(folder, "metrics.csv", split="all") if row["pct_change"]]
if not shown:
    raise SystemExit("no metric of this run has a change in percent")
figure, axes = plt.subplots(figsize=(7, 0.35 * len(shown) + 1.2), layout="constrained")
for place, row in enumerate(reversed(shown)):
    change, low, high = (number(row[key]) for key in ("pct_change", "pct_low", "pct_high"))
    worse = row["call"] == "worse"
    colour, marker = (CANDIDATE, "s") if worse else (BASELINE, "o")
    if low is not None and high is not None:
        axes.plot([low, high], [place, place], color=colour)
    axes.plot([change], [place], marker, color=colour)
axes.axvline(0, color="black", linewidth=0.8)
axes.set_yticks(range(len(shown)), [row["metric"].replace("_", " ") for row in reversed(shown)])
axes.set_xlabel("candidate against baseline, percent; squares are worse")
figure.savefig(picture)
