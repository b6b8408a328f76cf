"""The `hierdp` command.

Exit code 0: done. 2: the input cannot be used; one line on standard error says what,
where and how to mend it, and nothing was written.
"""

import argparse
import os
import re
import socket
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from hierdp_core import __version__
from hierdp_core.exceptions import BudgetError, ChoiceError, HierdpError
from hierdp_core.settings import (
    Parser,
    Settings,
    add_flags,
    merged,
    words_of_flags,
    words_of_toml,
)
from hierdp_core.terminal import (
    let_any_terminal_print,
    print_comparison,
    print_json,
    print_run,
    print_table,
    progress,
    run_as_dict,
)

_OK, _UNUSABLE, _INTERRUPTED = 0, 2, 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; the result is its exit code."""
    let_any_terminal_print()
    try:
        arguments = _joined(sys.argv[1:] if argv is None else argv)
        flags = _parser().parse_args(arguments)
        flags.do(flags)
        sys.stdout.flush()
    except HierdpError as error:
        print("hierdp: " + " ".join(str(error).split()), file=sys.stderr)
        return _UNUSABLE
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:
        # Whoever read the output has enough; the interpreter must not flush into nothing.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return _OK


def app_path() -> Path:
    """Where app.py is: inside an installed package, or beside a checked-out one."""
    here = Path(__file__).resolve().parent
    places = (here / "_app" / "app.py", here.parent / "app.py")
    for place in places:
        if place.is_file():
            return place
    raise ChoiceError(f"The app is missing: no {places[1]}. Install hierdp again.")


def _parser() -> Parser:
    parser = Parser(
        prog="hierdp",
        allow_abbrev=False,
        description="What differential privacy does to hierarchical statistics. "
        "Without a command: open the app, for this machine only.",
    )
    parser.set_defaults(do=_open)
    parser.add_argument("--version", action="version", version=f"hierdp {__version__}")
    parser.add_argument("--port", metavar="N", help="where the app listens on 127.0.0.1")
    parser.add_argument("--no-browser", action="store_true", help="do not open a browser")
    commands = parser.add_subparsers(title="commands", metavar="")

    def command(name: str, do: Callable[[argparse.Namespace], None], words: str) -> Parser:
        made = commands.add_parser(name, help=words, description=words, allow_abbrev=False)
        made.set_defaults(do=do)
        made.add_argument("--json", action="store_true", help="print JSON for scripts")
        return made

    command("samples", _samples, "list the tables that come with HierDP")
    command("mechanisms", _mechanisms, "list the mechanisms")

    run = command("run", _run, "release one table once, with seeded noise, and show the error")
    run.add_argument("config", nargs="?", metavar="CONFIG.toml", help="holds the same words")
    add_flags(run)
    run.add_argument("--out", metavar="DIR", help="a new folder for the tables and the statement")

    compare = command("compare", _compare, "repeat mechanisms and budgets over many draws")
    compare.add_argument("--sample", metavar="ID", required=True)
    compare.add_argument("--mechanisms", metavar="ID,ID,…", required=True)
    compare.add_argument("--epsilon", metavar="NUMBER,…", help="one budget each")
    compare.add_argument("--delta", metavar="NUMBER", help="δ beside every ε")
    compare.add_argument("--rho", metavar="NUMBER,…", help="budgets as ρ instead")
    compare.add_argument(
        "--shares", metavar="N,N,…", action="append", help="may be given more than once"
    )
    compare.add_argument("--trials", metavar="N", default="30", help="draws of each (default: 30)")
    compare.add_argument("--seed", metavar="N", default="0")
    compare.add_argument("--workers", metavar="N", help="threads (default: one a core)")
    compare.add_argument("--quantity", metavar="ID", help="errors of this number per region")
    compare.add_argument("--out", metavar="FILE.csv", help="every draw, as CSV")

    reproduce = command(
        "reproduce", _reproduce, "run a paper's experiment again, beside its figures"
    )
    reproduce.add_argument(
        "experiment", metavar="NAME", help="pgsr: [A] Table 7; coc: [B] Section 6.2"
    )
    reproduce.add_argument("--epsilon", metavar="NUMBER,…", help="budgets (default: the paper's)")
    reproduce.add_argument("--draws", metavar="N", help="of each (default: the paper's)")
    reproduce.add_argument("--seed", metavar="N", default="0")
    reproduce.add_argument("--out", metavar="FILE.csv", help="the table, as CSV")
    return parser


def _open(flags: argparse.Namespace) -> None:
    app, port = app_path(), []
    if flags.port is not None:
        port = [f"--server.port={_free_port(flags.port)}"]

    _get_ready()

    from streamlit.runtime.pages_manager import PagesManager
    from streamlit.web import cli as streamlit

    # The folder pages/ would switch on Streamlit's older navigation beside ours, for one
    # wrong message on the first deep link.
    PagesManager.uses_pages_directory = False
    streamlit.main(
        [
            "run",
            str(app),
            "--server.address=127.0.0.1",
            "--browser.gatherUsageStats=false",
            "--server.showEmailPrompt=false",
            f"--server.headless={'true' if flags.no_browser else 'false'}",
            *port,
        ],
        prog_name="hierdp",
        standalone_mode=False,
    )


def _get_ready() -> None:
    """Load and compile what the first page needs, before anybody waits for it.

    Not beside the server: two threads that import the same libraries meet half of them.
    """
    import hierdp_core.figures  # noqa: F401
    from hierdp_core import mechanisms, samples

    print("HierDP is getting ready; the first start takes some seconds more.", flush=True)
    sample = samples.load(Settings().sample)
    sample.boundaries.level(sample.table.tree.n_levels - 1)
    mechanisms.warm_up(mechanisms.names(sample.kind)[0])


def _samples(flags: argparse.Namespace) -> None:
    from hierdp_core import samples

    infos = [samples.describe(name).as_dict() for name in samples.names()]
    if flags.json:
        print_json(infos)
    else:
        print_table(("id", "kind", "title"), infos)


def _mechanisms(flags: argparse.Namespace) -> None:
    from hierdp_core import mechanisms

    infos = [mechanisms.describe(name).as_dict() for name in mechanisms.names()]
    if flags.json:
        print_json(infos)
    else:
        shown = [info | {"for tables of": ", ".join(info["kinds"])} for info in infos]
        print_table(("id", "for tables of", "title"), shown)


def _run(flags: argparse.Namespace) -> None:
    settings = _settings(flags)
    folder = None if flags.out is None else Path(flags.out)
    if folder is not None:
        from hierdp_core.writers.exploration import require_new_folder

        require_new_folder(folder)

    from hierdp_core import samples
    from hierdp_core.mechanisms import warm_up
    from hierdp_core.metrics import errors
    from hierdp_core.release import run

    table = samples.load(settings.sample, progress=progress()).table
    plan = settings.plan(table)
    warm_up(settings.mechanism)
    release = run(table, plan, seed=settings.seed)
    frame = errors(table, release, quantity=settings.quantity)
    if folder is not None:
        from hierdp_core.writers.exploration import write_exploration

        write_exploration(folder, settings=settings, release=release, errors=frame)
    if flags.json:
        print_json(run_as_dict(settings, release, frame))
    else:
        print_run(settings, release, frame)
        if folder is not None:
            print(f"written to {folder}")


def _compare(flags: argparse.Namespace) -> None:
    trials_wanted = _whole("--trials", flags.trials, least=1)
    workers = None if flags.workers is None else _whole("--workers", flags.workers, least=1)
    views = _grid(flags)
    out = _new_file(flags.out)

    from hierdp_core import samples
    from hierdp_core.trials import trials

    table = samples.load(views[0].sample, progress=progress()).table
    frame = trials(
        table,
        [view.plan(table) for view in views],
        n=trials_wanted,
        seed=views[0].seed,
        workers=workers,
        progress=progress(),
        quantities=() if flags.quantity is None else (flags.quantity,),
    )
    if out is not None:
        from hierdp_core.writers.exploration import write_errors

        write_errors(out, frame)
    if flags.json:
        print_json(frame.to_dict("records"))
    else:
        print_comparison(frame)


def _reproduce(flags: argparse.Namespace) -> None:
    from hierdp_core import samples
    from hierdp_core.privacy import Budget
    from hierdp_core.reproduce import experiment

    chosen = experiment(flags.experiment)
    draws = chosen.draws if flags.draws is None else _whole("--draws", flags.draws, least=1)
    seed, out = _whole("--seed", flags.seed, least=0), _new_file(flags.out)
    budgets = {} if flags.epsilon is None else {"epsilons": _listed(flags.epsilon)}
    for epsilon in budgets.get("epsilons", []):
        Budget.of(epsilon=epsilon)
    frame = chosen.run(
        lambda sample: samples.load(sample, progress=progress()).table,
        draws=draws,
        seed=seed,
        progress=progress(),
        **budgets,
    )
    if out is not None:
        from hierdp_core.writers.exploration import write_errors

        write_errors(out, frame)
    if flags.json:
        print_json(frame.to_dict("records"))
    else:
        print(chosen.as_markdown(frame))


def _settings(flags: argparse.Namespace) -> Settings:
    words = merged(_words_of_file(flags.config), words_of_flags(flags))
    for word in ("sample", "mechanism"):
        if word not in words:
            raise ChoiceError(f"A {word} is needed: give --{word} ID; `hierdp {word}s` lists them.")
    if not words.keys() & {"epsilon", "delta", "rho"}:
        raise BudgetError("A budget is needed: give --epsilon, --epsilon with --delta, or --rho.")
    return Settings.of(words)


def _words_of_file(name: str | None) -> dict[str, Any]:
    if name is None:
        return {}
    try:
        text = Path(name).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ChoiceError(f"{name} is not text in UTF-8.") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ChoiceError(f"{name} cannot be read: {reason}.") from None
    try:
        return words_of_toml(text)
    except HierdpError as error:
        raise ChoiceError(f"{name}: {error}") from None


def _grid(flags: argparse.Namespace) -> list[Settings]:
    """Every mechanism with every budget and every split."""
    if flags.rho is None:
        stated = [{"epsilon": e} | _given(delta=flags.delta) for e in _listed(flags.epsilon)]
    else:
        stated = [
            {"rho": r} | _given(epsilon=flags.epsilon, delta=flags.delta)
            for r in _listed(flags.rho)
        ]
    if not stated:
        raise BudgetError("A budget is needed: give --epsilon, --epsilon with --delta, or --rho.")
    shared = {"sample": flags.sample, "seed": flags.seed} | _given(quantity=flags.quantity)
    return [
        Settings.of(shared | {"mechanism": mechanism} | budget | _given(shares=shares))
        for mechanism in _listed(flags.mechanisms)
        for budget in stated
        for shares in flags.shares or [None]
    ]


def _new_file(name: str | None) -> Path | None:
    if name is None:
        return None
    out = Path(name)
    if out.is_dir() or not out.absolute().parent.is_dir():
        raise ChoiceError(f"{out} cannot be written: name a file in a folder that is there.")
    return out


def _given(**words: str | None) -> dict[str, str]:
    return {name: value for name, value in words.items() if value is not None}


def _listed(text: str | None) -> list[str]:
    return [] if text is None else [part.strip() for part in text.split(",")]


def _whole(flag: str, text: str, *, least: int, most: int = 1_000_000) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", text) or not least <= int(text) <= most:
        raise ChoiceError(f'{flag} takes a whole number from {least} to {most:,}; got "{text}".')
    return int(text)


def _free_port(text: str) -> int:
    port = _whole("--port", text, least=1, most=65_535)
    with socket.socket() as door:
        door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            door.bind(("127.0.0.1", port))
        except OSError as error:
            raise ChoiceError(
                f"Port {port} cannot be used ({error.strerror}); name another, or leave out --port."
            ) from None
    return port


def _joined(arguments: Sequence[str]) -> list[str]:
    """`--shares -1,2` as `--shares=-1,2`, so that our own message says what is wrong with it."""
    joined: list[str] = []
    for argument in arguments:
        value = re.match(r"-(\d|\.|inf|nan)", argument, re.IGNORECASE)
        if value and joined and re.fullmatch(r"--[a-z]+", joined[-1]):
            joined[-1] += "=" + argument
        else:
            joined.append(argument)
    return joined
