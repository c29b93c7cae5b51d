# /// script
# requires-python = ">=3.10"
# dependencies = ["pandas==3.1.1", "duckdb==2.0.1"]
# ///
"""Reads every CSV file of a run with pandas and with DuckDB, and compares rows, types and sums.

Also an example of use: the headline of the run, worked out from attempts.csv alone with each of them.

Usage: read_tables.py RUN
"""
import math
import pathlib
import sys

import duckdb
import pandas as pd

TABLES = ["attempts", "calls", "cases", "metrics", "flips", "rules", "timings"]


def pandas_kind(column):
    values = column.dropna()
    if values.empty:
        return "empty"
    if pd.api.types.is_bool_dtype(values.infer_objects()):
        return "flag"
    return "number" if pd.api.types.is_numeric_dtype(values) else "text"


def check(folder, table):
    file = folder / f"{table}.csv"
    frame = pd.read_csv(file, keep_default_na=False, na_values=[""])
    relation = duckdb.read_csv(str(file), header=True, sample_size=-1, all_varchar=False)
    types = dict(zip(relation.columns, map(str, relation.types)))
    problems = []
    if list(frame.columns) != list(types):
        return [f"{table}: other columns"]
    if len(frame) != relation.aggregate("count(*)").fetchall()[0][0]:
        problems.append(f"{table}: {len(frame)} rows with pandas")
    for name in frame.columns:
        kind = pandas_kind(frame[name])
        if kind == "empty":
            continue
        other = {"BOOLEAN": "flag", "VARCHAR": "text"}.get(types[name], "number")
        if kind != other:
            problems.append(f"{table}.{name}: {kind} with pandas, {types[name]} with DuckDB")
        elif kind == "number":
            one = float(frame[name].sum())
            two = float(duckdb.sql(f'select sum("{name}") from relation').fetchall()[0][0])
            if not math.isclose(one, two, rel_tol=1e-9, abs_tol=1e-9):
                problems.append(f"{table}.{name}: the sum is {one} with pandas, {two} with DuckDB")
    return problems


def headline_pandas(folder):
    attempts = pd.read_csv(folder / "attempts.csv")
    ok = attempts[(attempts.status == "ok") & attempts.side.isin(["baseline", "candidate"])]
    wide = ok.pivot_table(index=["case_id", "attempt"], columns="side", values="continuation_reads").dropna()
    cases = (wide.candidate - wide.baseline).groupby("case_id").mean()
    return float(cases.mean())


def headline_duckdb(folder):
    return duckdb.sql(
        f"""
        with pairs as (
            select b.case_id, avg(c.continuation_reads - b.continuation_reads) as delta
            from '{folder}/attempts.csv' b join '{folder}/attempts.csv' c using (case_id, attempt)
            where b.side = 'baseline' and c.side = 'candidate' and b.status = 'ok' and c.status = 'ok'
            group by b.case_id
        )
        select avg(delta) from pairs
        """
    ).fetchall()[0][0]


def main():
    folder = pathlib.Path(sys.argv[1])
    problems = [problem for table in TABLES for problem in check(folder, table)]
    metrics = pd.read_csv(folder / "metrics.csv")
    kept = metrics[(metrics.split == "all") & (metrics.metric == "continuation_reads")].delta.iloc[0]
    for name, value in [("pandas", headline_pandas(folder)), ("DuckDB", headline_duckdb(folder))]:
        if abs(value - kept) > 5e-7:
            problems.append(f"continuation reads: {value} with {name}, {kept} in metrics.csv")
    for problem in problems:
        print(problem)
    print(f"{len(TABLES)} tables read by pandas and DuckDB, {len(problems)} problems")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
