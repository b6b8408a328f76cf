"""Destinations that are not origins: totals, people who do not travel, or regions abroad."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hierdp_core.readers.columns.facts import SheetFacts
from hierdp_core.readers.columns.flow_sums import FlowTotals, totals_of_flows
from hierdp_core.readers.columns.question import Choice, Question
from hierdp_core.readers.columns.slices import sums_in
from hierdp_core.readers.columns.vocabulary import TOTAL_WORDS, plain_name, words
from hierdp_core.readers.formats.sheet import Sheet, as_mask
from hierdp_core.readers.report import shown_codes
from hierdp_core.util.arrays import FloatArray, IntArray
from hierdp_core.util.text import by_number, counted, join_and, join_or

_LARGE = 0.3  # proportion of the trips at which a few other destinations are unusual
_HALF_OF_TRIPS = 0.5  # proportion of the trips at which any number of them is unusual
_MIN_PLACES = 5  # destinations among which a single other one is noticeable
_FEW = 3  # destinations that may stand for none, such as "Does not apply"
_MIN_SHARE = 0.2  # proportion of the destinations that are few, or that must be origins
_MAX_CODES = 40  # codes that an answer names
_SHOWN = 5  # codes that a sentence shows
_ALL_AREAS = {"totals": "none"}
_OTHER = words("other others andere autres otros outros altri ovrige inne")


def unknown_destinations_question(
    facts: SheetFacts, pairs: Sequence[tuple[str, str]], count: str, left_out: Sequence[str]
) -> Question | None:
    """Ask a question if destinations are not origins and are called totals or have many trips.

    Args:
        facts: facts about the table.
        pairs: columns of origins and of destinations, from the top level down.
        count: the column of trips.
        left_out: conditions on rows that a person leaves out, each "COLUMN=VALUE".
    """
    among = _among_origins(facts, pairs, count, left_out)
    if among is not None and among.choices[-1].stated != _ALL_AREAS:
        return among
    return _beyond_origins(facts, pairs[0], count, left_out) or among


def _beyond_origins(
    facts: SheetFacts, pair: tuple[str, str], count: str, left_out: Sequence[str]
) -> Question | None:
    """Ask a question if destinations that are not origins are called totals or have many trips."""
    origin, destination = pair
    text = facts[destination].text
    known = pc.is_in(text, value_set=facts[origin].filled)
    dropped = {pair.partition("=")[2] for pair in left_out if pair.startswith(f"{destination}=")}
    outside = ~as_mask(known) & ~np.isin(text.to_pylist(), sorted(dropped))
    if not outside.any():
        return None
    codes = pc.unique(text.filter(pa.array(outside))).to_pylist()
    totals = _codes_of_totals(facts, destination, codes)
    trips = np.nan_to_num(facts[count].values).clip(min=0)
    places = len(facts[destination].filled)
    few = places >= _MIN_PLACES and len(codes) <= max(_FEW, _MIN_SHARE * places)
    large = few and trips[outside].sum() >= _LARGE * max(trips.sum(), 1.0)
    # Where some destinations are origins, both ends have the same codes, and the others stand out.
    mixed = places >= _MIN_PLACES and places - len(codes) >= _MIN_SHARE * places
    others = mixed and trips[outside].sum() >= _HALF_OF_TRIPS * max(trips.sum(), 1.0)
    if len(codes) > _MAX_CODES or not (totals or large or others):
        return None
    choices = [
        Choice(
            words=f"leave out the rows that go to {shown_codes(chosen, shown=_SHOWN)}"
            f"{_kept_in_words(facts, pair, count, [c for c in codes if c not in chosen])}",
            stated={"leave_out": tuple(f"{destination}={code}" for code in chosen)},
        )
        for chosen in dict.fromkeys((tuple(totals), tuple(codes)))
        if chosen
    ]
    if not totals:
        choices.append(Choice(words="all destinations are areas", stated=_ALL_AREAS))
    return Question(what=_unclear(codes, totals), choices=tuple(choices))


def _kept_in_words(
    facts: SheetFacts, pair: tuple[str, str], count: str, kept: Sequence[str]
) -> str:
    """Return how many trips go to destinations that remain, although nobody starts there."""
    if not kept:
        return ""
    origin, destination = pair
    rows = as_mask(pc.is_in(facts[destination].text, value_set=pa.array(kept, pa.string())))
    named = as_mask(pc.is_in(facts[origin].text, value_set=facts[origin].filled))
    trips = float(np.nan_to_num(facts[count].values)[rows & named].clip(min=0).sum())
    areas = by_number(len(kept), "is an area", "are areas")
    return f". {shown_codes(kept, shown=_SHOWN)} {areas} to which {trips:,.0f} trips go"


def _unclear(codes: Sequence[str], totals: Sequence[str]) -> str:
    """Return what is unclear about destinations that are not origins, some of them totals."""
    verb = by_number(len(codes), "is", "are")
    outside = f"{counted(len(codes), 'destination')} {verb} not among the origins"
    if totals:
        called = by_number(len(totals), "is called a total", "are called totals")
        return f"{outside}, and {shown_codes(totals, shown=_SHOWN)} {called}"
    doubt = by_number(len(codes), "it may not be an area", "some may not be areas")
    return f"{outside} ({shown_codes(codes, shown=_SHOWN)}), so {doubt}"


def _among_origins(
    facts: SheetFacts, pairs: Sequence[tuple[str, str]], count: str, left_out: Sequence[str]
) -> Question | None:
    """Ask a question if origins are called totals, or rows of one end are sums of the others."""
    sheet = facts.sheet
    for pair in left_out:
        column, _, value = pair.partition("=")
        if sheet.has(column):
            sheet = sheet.take(~as_mask(pc.equal(sheet.column(column), value)))
    if not sheet.n_rows or facts.sampled:
        return None
    remaining = SheetFacts(sheet) if sheet is not facts.sheet else facts
    origin, destination = pairs[0]
    destinations = remaining[destination].filled
    beyond = [code for code in remaining[origin].filled.to_pylist()
              if code not in set(destinations.to_pylist())]  # fmt: skip
    totals = _codes_of_totals(remaining, origin, beyond)
    if totals:
        others = [code for code in _codes_called(remaining, origin, beyond, _OTHER)
                  if code not in totals]  # fmt: skip
        ways = dict.fromkeys(((*totals, *others), tuple(totals)))
        return Question(
            what=f"some origins are called totals ({shown_codes(totals, shown=_SHOWN)}), so trips "
            "would be counted more than once",
            choices=tuple(_leave_out(origin, codes, "come from") for codes in ways),
        )
    origin, destination = pairs[-1]
    if not remaining.one_row_each([origin, destination]) and len(pairs) > 1:
        return None
    return _of_sums(remaining, origin, destination, count)


def _of_sums(facts: SheetFacts, origin: str, destination: str, count: str) -> Question | None:
    """Ask a question if the flows of some origins or destinations are sums of those of others."""
    sums = flow_totals_of(facts.sheet, origin, destination, facts[count].values)
    if not sums:
        sums = FlowTotals(
            origins=tuple(sums_in(facts, origin, [destination], count)),
            destinations=tuple(sums_in(facts, destination, [origin], count)),
        )
    return (
        Question(what=sums_in_words(sums), choices=leave_out_choices(origin, destination, sums))
        if sums
        else None
    )


def flow_totals_of(
    sheet: Sheet, origin: str, destination: str, values: FloatArray | IntArray
) -> FlowTotals:
    """Return the origins and destinations whose flows are the sums of those of others."""
    return totals_of_flows(
        sheet.column(origin).to_pylist(),
        sheet.column(destination).to_pylist(),
        np.asarray(values, dtype=np.float64),
    )


def sums_in_words(sums: FlowTotals) -> str:
    """Return what is unclear where rows of some origins or destinations are sums of others."""
    named = [
        f"{verb} {shown_codes(codes, shown=_SHOWN)}"
        for verb, codes in (("come from", sums.origins), ("go to", sums.destinations))
        if codes
    ]
    if not sums.sure:
        return (
            f"the rows that {join_and(named)} seem to be the sums of others, some of which are not "
            "published, so trips may be counted more than once"
        )
    return (
        f"the rows that {join_and(named)} are the sums of the others, so trips would be counted "
        "more than once"
    )


def leave_out_choices(origin: str, destination: str, sums: FlowTotals) -> tuple[Choice, ...]:
    """Return the answer that the rows of all totals at both ends are left out.

    Where the totals are not sure, all ends may also be regions.
    """
    named = [
        f"{verb} {shown_codes(codes, shown=_SHOWN)}"
        for verb, codes in (("come from", sums.origins), ("go to", sums.destinations))
        if codes
    ]
    out = [f"{origin}={code}" for code in sums.origins]
    out += [f"{destination}={code}" for code in sums.destinations]
    leave_out = Choice(
        words=f"leave out the rows that {join_or(named)}", stated={"leave_out": tuple(out)}
    )
    areas = Choice(words="all of them are areas", stated=_ALL_AREAS)
    return (leave_out,) if sums.sure else (leave_out, areas)


def _leave_out(column: str, codes: Sequence[str], verb: str) -> Choice:
    """Return the answer that the rows with these codes are left out."""
    return Choice(
        words=f"leave out the rows that {verb} {shown_codes(codes, shown=_SHOWN)}",
        stated={"leave_out": tuple(f"{column}={code}" for code in codes)},
    )


def _codes_of_totals(facts: SheetFacts, destination: str, codes: Sequence[str]) -> list[str]:
    """Return the codes of which each row has a cell with a word for a total."""
    return _codes_called(facts, destination, codes, TOTAL_WORDS - {"all", "sum", "suma"})


def _codes_called(
    facts: SheetFacts, destination: str, codes: Sequence[str], called: frozenset[str]
) -> list[str]:
    """Return the codes for which a column of labels has one of the words in every row."""
    labels = [
        n for n, column in facts.columns.items()
        if not column.numeric and n != destination and column.distinct > 1
    ]  # fmt: skip
    text = facts[destination].text
    matches = []
    for code in codes:
        rows = facts.sheet.take(as_mask(pc.equal(text, code)))
        cells = (rows.column(n).to_pylist() for n in labels)
        if any(all(called & {*plain_name(c).split("_")} for c in one) for one in cells):
            matches.append(code)
    return matches
