#!/usr/bin/env python3
"""Writes an attempts.csv of 12 metrics on three sides, the same bytes every time.

Usage: scripts/stats/make_attempts.py CASES ATTEMPTS > attempts.csv
"""
import random
import sys

METRICS = (
    "correct,completeness,truthfulness,source_recall,cited_gold,continuation_reads,read_calls,tool_calls,"
    "oversized_results,input_tokens,output_tokens,max_response_chars"
)


def attempt(draw, level):
    right = int(draw.random() < level)
    shares = [f"{min(1, max(0, draw.gauss(level, 0.2))):.2f}" for _ in range(2)]
    recall = draw.choice(["0", "0.25", "0.5", "0.75", "1"])
    reads = max(0, int(draw.expovariate(0.7)) - 1)
    calls = 2 + reads + int(draw.expovariate(0.5))
    tokens = draw.lognormvariate(10.7, 0.5)
    chars = min(50_000, int(draw.lognormvariate(9.3, 0.6)))
    return [right, *shares, recall, right, reads, reads + 1, calls, int(chars == 50_000)] + [
        f"{tokens:.1f}",
        f"{tokens / 20:.1f}",
        chars,
    ]


def main():
    cases, attempts = int(sys.argv[1]), int(sys.argv[2])
    draw = random.Random(7)
    out = sys.stdout
    out.write(f"case,split,side,attempt,status,{METRICS}\n")
    for case in range(cases):
        split, level = ("dev", "test", "test")[case % 3], draw.betavariate(2, 1.2)
        for side in ("base", "cand", "same-code"):
            for number in range(1, attempts + 1):
                values = ",".join(map(str, attempt(draw, level)))
                out.write(f"case-{case:06},{split},{side},{number},ok,{values}\n")


main()
