"""What the plots share: reading the tables of a run, the colours of the two sides."""
import csv
import pathlib
import sys

BASELINE, CANDIDATE, BAND = "#0072B2", "#D55E00", "#dddddd"


def arguments(about):
    """The folder of a run and the picture to write."""
    if len(sys.argv) != 3:
        sys.exit(f"{about}\n\nusage: {pathlib.Path(sys.argv[0]).name} RUN PICTURE")
    return pathlib.Path(sys.argv[1]), sys.argv[2]


def rows(folder, table, **wanted):
    """The rows of a table whose columns have these values."""
    with open(folder / table, newline="", encoding="utf-8") as file:
        return [row for row in csv.DictReader(file) if all(row[key] == value for key, value in wanted.items())]


def number(text):
    """A cell; nothing when it is empty."""
    return float(text) if text else None
