#!/usr/bin/env -S uv run --script
# /// script
# requires-python = ">=3.10"
# dependencies = ["matplotlib==3.11.2"]
# ///
"""A/A history: what two runs of the same code differed by, run by run (runs.jsonl beside the run, metrics.csv of each)."""
import json

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from common import BASELINE, arguments, number, rows

folder, picture = arguments(__doc__)
METRICS = ("continuation_reads", "tool_calls", "result_chars")
runs = [json.loads(line) for line in (folder.parent / "runs.jsonl").read_text(encoding="utf-8").splitlines()]
runs = [run for run in runs if (folder.parent / run["run_id"] / "metrics.csv").exists()]
figure, plots = plt.subplots(len(METRICS), figsize=(7, 6), sharex=True, layout="constrained")
for axes, metric in zip(plots, METRICS):
    found = [rows(folder.parent / run["run_id"], "metrics.csv", split="all", metric=metric) for run in runs]
    values = [number(row[0]["same_code_max_abs_delta"]) if row else None for row in found]
    axes.plot(range(len(runs)), [float("nan") if value is None else value for value in values], "o-", color=BASELINE)
    axes.set_title(metric.replace("_", " "), fontsize=9)
    axes.axhline(0, color="black", linewidth=0.8)
plots[-1].set_xticks(range(len(runs)), [run["started_at"][:10] for run in runs], rotation=45, fontsize=7)
figure.supylabel("largest difference between two runs of the same code")
figure.savefig(picture)
