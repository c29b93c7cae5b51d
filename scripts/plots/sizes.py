#!/usr/bin/env -S uv run --script
# /// script
# requires-python = ">=3.10"
# dependencies = ["matplotlib==3.11.2"]
# ///
"""Sizes of results on both sides, on a log axis (calls.csv)."""
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from common import BASELINE, CANDIDATE, arguments, rows

folder, picture = arguments(__doc__)


def sizes(side):
    calls = rows(folder, "calls.csv", side=side, past_need="false")
    return [max(1, int(row["result_chars"])) for row in calls if row["result_chars"]]


both = [sizes("baseline"), sizes("candidate")]
most = max((size for side in both for size in side), default=1)
bins = [2**power for power in range(most.bit_length() + 1)]
figure, axes = plt.subplots(figsize=(7, 3.5), layout="constrained")
axes.hist(both, bins=bins, color=[BASELINE, CANDIDATE], label=["baseline", "candidate"])
axes.set_xscale("log", base=2)
axes.set_xlabel("size of a result, in the unit of the client")
axes.set_ylabel("results")
axes.legend()
figure.savefig(picture)
