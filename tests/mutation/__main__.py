"""The command `python tests/mutation`: runs mutants, reports on them, shows one."""

import argparse
import sys
import time
from difflib import unified_diff
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from mutation.campaign import ROOT, Campaign, map_for, read_configuration
from mutation.collected import CollectedTests


def main() -> int:
    configuration = read_configuration()
    names = [target.name for target in configuration.targets]
    parser = argparse.ArgumentParser(prog="python tests/mutation", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="test the mutants that have no valid result yet")
    run.add_argument("--file", action="append", default=[], help="only mutants of this file")
    run.add_argument("--minutes", type=float, default=float("inf"), help="stop after so long")
    run.add_argument("--again", action="append", default=[], metavar="ID", help="forget a result")
    report = commands.add_parser("report", help="print the score and what is still missing")
    show = commands.add_parser("show", help="print one mutant as a diff")
    show.add_argument("id")
    for command in (run, report):
        command.add_argument("targets", nargs="*", help=f"of {', '.join(names)}; all if none")
    given = parser.parse_args()

    if unknown := set(getattr(given, "targets", ())) - set(names):
        parser.error(f"no such target: {', '.join(sorted(unknown))}; there are {', '.join(names)}")
    chosen = [
        t for t in configuration.targets if t.name in (getattr(given, "targets", ()) or names)
    ]
    campaigns = [Campaign(ROOT, configuration, target) for target in chosen]
    if given.command == "show":
        return _show(campaigns, given.id)
    if given.command == "run":
        until = time.monotonic() + 60 * given.minutes
        covered = map_for(ROOT, configuration)
        files = sorted({test.split("::")[0] for test in covered.seconds})
        with CollectedTests(ROOT, files) as collected:
            for campaign in campaigns:
                campaign.forget(given.again)
                campaign.run(covered, collected=collected, among=given.file, until=until)
    found = []
    for campaign in campaigns:
        print(campaign.report(), end="\n\n")
        found += campaign.faults()
    print("\n".join(found))
    return 1 if found else 0


def _show(campaigns: list[Campaign], id: str) -> int:
    for campaign in campaigns:
        for mutant in campaign.everything:
            if mutant.id == id:
                original = (
                    (ROOT / mutant.file).read_text(encoding="utf-8").splitlines(keepends=True)
                )
                changed = mutant.source.splitlines(keepends=True)
                print("".join(unified_diff(original, changed, mutant.file, mutant.file)))
                print(campaign.results.by_id.get(id, "no result yet"))
                return 0
    print(f"There is no mutant {id}.")
    return 1


if __name__ == "__main__":
    sys.exit(main())
