#!/usr/bin/env -S uv run --script
# /// script
# requires-python = ">=3.10"
# dependencies = ["matplotlib==3.11.2"]
# ///
"""How often reads were carried on, on both sides (calls.csv)."""
import collections

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from common import BASELINE, CANDIDATE, arguments, rows

folder, picture = arguments(__doc__)


def lengths(side):
    chains = collections.Counter()
    for row in rows(folder, "calls.csv", side=side, past_need="false"):
        if row["chain_index"]:
            key = row["case_id"], row["attempt"], row["chain_index"]
            chains[key] += row["is_continuation"] == "true"
    return collections.Counter(chains.values())


both = {"baseline": lengths("baseline"), "candidate": lengths("candidate")}
longest = max((length for counts in both.values() for length in counts), default=0)
figure, axes = plt.subplots(figsize=(7, 3.5), layout="constrained")
for shift, (side, colour) in zip((-0.2, 0.2), (("baseline", BASELINE), ("candidate", CANDIDATE))):
    axes.bar([x + shift for x in range(longest + 1)], [both[side][x] for x in range(longest + 1)], 0.4, color=colour, label=side)
axes.set_xlabel("continuation reads of a chain")
axes.set_ylabel("chains")
axes.legend()
figure.savefig(picture)
