"""Works out the figures of a run's metrics.csv again with scipy, from its cases.csv.

test_scipy.py RUN, a run's folder. Checks, for every metric and split whose case deltas differ: the mean, its
standard error, the t interval and p value, the ends of the bootstrap interval and the sign-flip p value (both
within the Monte Carlo error of the resamples drawn here), Holm's correction, and the counts of cases up and down.
"""

import collections
import csv
import pathlib
import sys

import numpy as np
from scipy import stats

RESAMPLES = 100_000
ROUNDING = 2e-6  # both tables hold six decimals


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def deltas_by_metric(cases):
    """(split, metric) -> the deltas of the paired cases; the split `all` holds every case."""
    deltas = collections.defaultdict(list)
    for row in cases:
        if row["state"] == "paired" and row["delta"]:
            for split in ("all", row["split"]):
                deltas[split, row["metric"]].append(float(row["delta"]))
    return {key: np.array(values) for key, values in deltas.items()}


def near(found, wanted, slack):
    return abs(float(found) - wanted) <= slack + 1e-7 * abs(wanted)


def bootstrap_means(deltas, rng):
    """Means of resamples of the cases: each case's number of draws is multinomial."""
    n = len(deltas)
    values, counts = np.unique(deltas, return_counts=True)
    return rng.multinomial(n, counts / n, size=RESAMPLES) @ values / n


def flip_p(deltas, rng):
    moved = deltas[deltas != 0]
    sums = np.concatenate([rng.choice((-1, 1), size=(10_000, len(moved))) @ moved for _ in range(10)])
    return (np.count_nonzero(np.abs(sums) >= abs(moved.sum()) - 1e-9) + 1) / (len(sums) + 1)


def checks(row, deltas, rng):
    """Pairs of a column's name and whether it holds what scipy says."""
    n, mean = len(deltas), deltas.mean()
    yield "n_cases", int(row["n_cases"]) == n
    yield "delta", near(row["delta"], mean, ROUNDING)
    yield "cases_up", int(row["cases_up"]) == np.count_nonzero(deltas > 0)
    yield "cases_down", int(row["cases_down"]) == np.count_nonzero(deltas < 0)
    if n < 2 or np.ptp(deltas) == 0:
        return
    test = stats.ttest_1samp(deltas, 0)
    interval = test.confidence_interval(0.95)
    yield "se", near(row["se"], stats.sem(deltas), ROUNDING)
    yield "t_low", near(row["t_low"], interval.low, 2 * ROUNDING)
    yield "t_high", near(row["t_high"], interval.high, 2 * ROUNDING)
    yield "p_t", near(row["p_t"], test.pvalue, ROUNDING)
    means = bootstrap_means(deltas, rng)
    for column, share in (("ci_low", 0.025), ("ci_high", 0.975)):
        # Five standard errors of a quantile, of the 10,000 resamples that the run may have drawn.
        slack = 5 * np.sqrt(share * (1 - share) / 10_000)
        low, high = np.quantile(means, [max(share - slack, 0), min(share + slack, 1)])
        yield column, low - ROUNDING <= float(row[column]) <= high + ROUNDING
    if row["p_signflip"]:
        p = flip_p(deltas, rng)
        yield "p_signflip", near(row["p_signflip"], p, 5 * np.sqrt(p / RESAMPLES))


def holm_failures(metrics, split):
    """Holm over p_t of all metrics of the split, by the definition."""
    family = sorted((float(row["p_t"]), float(row["p_holm"]), row["metric"]) for row in metrics
                    if row["split"] == split and row["p_t"] and row["p_holm"])
    largest = 0.0
    for place, (p, holm, metric) in enumerate(family):
        largest = max(largest, min(1.0, p * (len(family) - place)))
        if not near(holm, largest, len(family) * ROUNDING):
            yield f"{split} {metric}: p_holm {holm}, by the definition {largest}"


def main():
    run = pathlib.Path(sys.argv[1])
    metrics, deltas = rows(run / "metrics.csv"), deltas_by_metric(rows(run / "cases.csv"))
    rng = np.random.default_rng(7)
    held, failures = 0, []
    for row in metrics:
        values = deltas.get((row["split"], row["metric"]))
        if values is None:
            continue
        for column, holds in checks(row, values, rng):
            held += holds
            if not holds:
                failures.append(f"{row['split']} {row['metric']}: {column} is {row[column]}")
    for split in ("all", "dev", "test"):
        failures += holm_failures(metrics, split)
    for failure in failures:
        print(failure)
    print(f"scipy: {held} passed, {len(failures)} failed")
    return 1 if failures or not held else 0


if __name__ == "__main__":
    sys.exit(main())
