"""Measure the benchmarks of the documentation and write docs/benchmarks.md.

python tests/benchmarks           the tables that take about a minute
python tests/benchmarks --all     all tables
"""

import argparse
import sys
from datetime import UTC, datetime
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[2])]

from support import benchmark_page  # noqa: E402


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--all", action="store_true", help="also tables that take minutes")
    parser.add_argument(
        "--turns", type=int, default=5, help="repetitions of each time (default: 5)"
    )
    flags = parser.parse_args()
    machine, results, left_out = benchmark_page.this_machine(), [], []
    for section in benchmark_page.sections():
        if section.is_long and not flags.all:
            left_out.append(section)
            continue
        rows = []
        for case in section.cases:
            rows.append(case(flags.turns))
            print(f"{section.title}: {rows[-1].name}, ratio {rows[-1].ratio:.3g}", flush=True)
        results.append((section, rows))
    text = benchmark_page.markdown(
        results,
        left_out=left_out,
        today=datetime.now(tz=UTC).date(),
        machine=machine,
        turns=flags.turns,
    )
    benchmark_page.PAGE.write_text(text, encoding="utf-8")
    print(f"Wrote {benchmark_page.PAGE}.")


if __name__ == "__main__":
    main()
