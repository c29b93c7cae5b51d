"""Times scipy's and numpy's bootstrap on suites of the sizes of examples/stats_bench.rs.

Each line is a name and milliseconds, best of three, for 10,000 resamples of the mean case delta.
"""

import time

import numpy as np
import scipy
from scipy.stats import bootstrap

RESAMPLES = 10_000


def best_of_three(name, run):
    best = min(timed(run) for _ in range(3))
    print(f"{name}: {best * 1e3:.1f} ms", flush=True)


def timed(run):
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def scipy_intervals(deltas, method):
    for column in deltas.T:
        bootstrap(
            (column,),
            np.mean,
            n_resamples=RESAMPLES,
            method=method,
            vectorized=True,
            batch=max(1, 10_000_000 // len(column)),
            random_state=np.random.default_rng(7),
        )


def numpy_shared(deltas):
    """One draw of indices for all columns, as we do."""
    rng = np.random.default_rng(7)
    n = len(deltas)
    means = np.empty((RESAMPLES, deltas.shape[1]))
    for i in range(RESAMPLES):
        means[i] = deltas[rng.integers(0, n, n)].mean(axis=0)
    np.quantile(means, [0.025, 0.975], axis=0)


def main():
    print(f"scipy {scipy.__version__}, numpy {np.__version__}")
    rng = np.random.default_rng(1)
    small = rng.normal(size=(83, 12))
    large = rng.normal(size=(10_000, 12))
    best_of_three("83 cases x 12 metrics, percentile", lambda: scipy_intervals(small, "percentile"))
    best_of_three("83 cases x 12 metrics, BCa", lambda: scipy_intervals(small, "BCa"))
    best_of_three("10000 cases x 1 metric, percentile", lambda: scipy_intervals(large[:, :1], "percentile"))
    best_of_three("10000 cases x 12 metrics, numpy with shared indices", lambda: numpy_shared(large))


if __name__ == "__main__":
    main()
