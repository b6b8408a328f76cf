"""Which columns hold the regions: a parent, codes that begin with the code above, or levels."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow.compute as pc

from hierdp_core.readers.columns.codes import Fit, bare_codes, fit_of
from hierdp_core.readers.columns.facts import (
    ColumnFacts,
    SheetFacts,
    follows,
    index_of,
    share_codes,
)
from hierdp_core.readers.columns.partitions import tells_sexes
from hierdp_core.readers.columns.question import Choice, Question
from hierdp_core.readers.columns.vocabulary import (
    ABOUT_THE_ROW,
    CATEGORY,
    CODE,
    GROUP_ID,
    LABELS,
    PARENT,
    PERSON,
    PLACE,
    ROW_NUMBER,
    YEAR,
    words,
)
from hierdp_core.readers.formats.sheet import as_mask
from hierdp_core.readers.report import shown_code
from hierdp_core.util.text import join_and

_LABEL_SHARE = 0.75  # of the regions that must have different names, for a column of names
_FEW_CODES = 3
_NAMES = words(
    """
    name namelsad label den comune denominazione bezeichnung libelle nom nome nombre libgeo navn
    namn naam nazwa title desc description 名称
    """
)


@dataclass(frozen=True, kw_only=True)
class Located:
    """The columns of regions.

    Attributes:
        words: of a layout; empty where no column looks like a region.
        used: all columns that are about regions, names and parents among them.
        reasons: one line a choice.
        question: what is not clear.
    """

    words: dict[str, Any]
    used: frozenset[str] = frozenset()
    reasons: tuple[str, ...] = ()
    question: Question | None = None


def located(
    facts: SheetFacts, taken: frozenset[str], stated: dict[str, Any], *, extra: str, one_row: bool
) -> Located:
    """The columns of regions among those not taken.

    Args:
        facts: of the table.
        taken: columns that hold something else.
        stated: words of the layout that a person gave.
        extra: the column of sizes, where a region has a row for each.
        one_row: a region has one row, or one for each size.
    """
    free = [n for n in facts.sheet.names if n not in taken and _may_be_region(facts[n])]
    if stated.get("levels"):
        return _by_statement(facts, free, stated)
    named = (n for n in facts.sheet.names if n not in taken and facts[n].plain in PARENT)
    parent = stated.get("parent") or next(named, "")
    if parent:
        return _by_parent(facts, str(parent), [n for n in free if n != parent])
    places = [n for n in free if not _about_something_else(facts, n)]
    prefixed = _by_prefix(facts, places, one_row=one_row, extra=extra)
    found = prefixed or _by_chain(facts, places, extra=extra, one_row=one_row)
    return replace(found, question=_same_codes(facts, found) or found.question)


def _same_codes(facts: SheetFacts, found: Located) -> Question | None:
    """Ask where two levels hold the same codes: no region lies in another of its own level."""
    levels = found.words.get("levels", ())
    for k, lower in enumerate(levels):
        for upper in levels[:k]:
            if not share_codes(facts[upper], facts[lower]):
                continue
            ways = ((upper, lower), (lower, upper))
            choices = [
                Choice(
                    words=f"people go from {shown_code(one)} to {shown_code(other)}",
                    stated={"kind": "flows", "levels": (one,), "destinations": (other,)},
                )
                for one, other in ways
            ] + [
                Choice(words=f"the regions are those of {shown_code(one)}, whose rows are added up",
                       stated={"levels": (one,), "add_up": True})
                for one, _ in ways
            ]  # fmt: skip
            return Question(
                what=f"columns {shown_code(upper)} and {shown_code(lower)} hold the same codes, so "
                "neither lies within the other",
                choices=tuple(choices),
            )
    return None


def _may_be_region(column: ColumnFacts) -> bool:
    if column.blank or (column.name.startswith("column ") and column.counts_rows):
        return False
    if column.counts_rows and ROW_NUMBER.fullmatch(column.plain) and column.plain != "id":
        return False
    if column.numeric and not column.leading_zeros:
        # A plain number is a code only where its name or its kind says so.
        return not column.fractions and bool(
            CODE.fullmatch(column.plain) or PLACE.search(column.plain) or _one_to_a_place(column)
        )
    return True


def _one_to_a_place(column: ColumnFacts) -> bool:
    return column.name.startswith("column ") and column.distinct == len(column.text)


def _about_something_else(facts: SheetFacts, name: str) -> bool:
    column = facts[name]
    plain = column.plain
    if ABOUT_THE_ROW.fullmatch(plain) or YEAR.fullmatch(plain) or PERSON.fullmatch(plain):
        return True
    if CATEGORY.fullmatch(plain) or GROUP_ID.fullmatch(plain):
        return True
    if column.level_of_row or (column.distinct <= _FEW_CODES and _tells_sexes(column)):
        return True
    constant = column.distinct == 1 and facts.n_rows > 1
    return constant and (column.numeric or not PLACE.search(plain))


def _tells_sexes(column: ColumnFacts) -> bool:
    return tells_sexes(column.filled.to_pylist())


# ------------------------------------------------------------------------------------- statements


def _by_statement(facts: SheetFacts, free: Sequence[str], stated: dict[str, Any]) -> Located:
    """Levels that a person gave; codes and names are looked for still."""
    levels = stated["levels"]
    names = [levels] if isinstance(levels, str) else list(levels)
    words: dict[str, Any] = {"levels": tuple(names)}
    known = [n for n in names if n in facts.columns]
    if len(known) < len(names):
        return Located(words=words, used=frozenset(names))
    if len(names) == 1 and not stated.keys() & {"prefix", "parent", "destinations"}:
        fit = fit_of(facts[names[0]].text, names[0])
        if fit is not None:
            return _of_fit(facts, names[0], fit, free)
    if len(names) == 1 and "names" not in stated and "destinations" not in stated:
        label = _label_of(facts, names, free)
        words |= {"names": (label,)} if label else {}
    return Located(words=words, used=frozenset({*names, *words.get("names", ())}))


# ------------------------------------------------------------------------------- parents, prefixes


def _by_parent(facts: SheetFacts, parent: str, free: Sequence[str]) -> Located:
    above = facts[parent].filled

    def shared(name: str) -> int:
        return int(as_mask(pc.is_in(above, value_set=facts[name].filled)).sum())

    code = max(free, key=shared, default="")
    if not code or shared(code) * 2 < len(above):
        return Located(words={})
    reason = f"column {shown_code(parent)} names the region above {shown_code(code)}"
    label = _label_of(facts, [code], [n for n in free if n != code])
    words: dict[str, Any] = {"levels": (code,), "parent": parent}
    words |= {"names": (label,)} if label else {}
    return Located(
        words=words, used=frozenset(n for n in (code, parent, label) if n), reasons=(reason,)
    )


def _by_prefix(
    facts: SheetFacts, free: Sequence[str], *, one_row: bool, extra: str
) -> Located | None:
    """The column of codes of a known system that tells the most regions apart."""
    fits = [(n, fit) for n in free if (fit := fit_of(facts[n].text, n)) is not None]
    if not fits:
        return None
    name, fit = max(fits, key=lambda one: (facts[one[0]].distinct, len(one[1].prefix)))
    others = [n for n in free if n not in {n for n, _ in fits}]
    finer = [n for n in others if facts[n].distinct > facts[name].distinct * 1.2]
    if len(fit.prefix) == 1 or (finer and one_row and any(facts.within([n], name) for n in finer)):
        return None  # a code of an upper level, beside columns of lower ones
    return _of_fit(facts, name, fit, free)


def _of_fit(facts: SheetFacts, name: str, fit: Fit, free: Sequence[str]) -> Located:
    lengths = ", ".join(str(n) for n in fit.prefix)
    reasons = [
        (
            f"column {shown_code(name)} holds {fit.scheme.title}: a code begins with the one above "
            f"({', '.join(fit.levels)}; lengths {lengths})"
        )
    ]
    if fit.width:
        reasons.append(f"leading zeros were lost: codes have {fit.width} digits")
    names = _names_of_levels(facts, name, fit, free)
    if any(names):
        reasons.append(f"names are in {', '.join(shown_code(n) for n in names if n)}")
    words: dict[str, Any] = {
        "levels": (name,), "prefix": fit.prefix, "fill": fit.width,
        "names": names if any(names) else (),
    }  # fmt: skip
    above = [n for n in free if n != name and facts.within([name], n)]
    return Located(words=words, used=frozenset({name, *names, *above}), reasons=tuple(reasons))


def _names_of_levels(
    facts: SheetFacts, code: str, fit: Fit, free: Sequence[str]
) -> tuple[str, ...]:
    """A column of names for each level that has one, such as state and county."""
    whole = bare_codes(facts[code].text)
    if fit.width:
        whole = pc.utf8_lpad(whole, fit.width, padding="0")
    found: list[str] = []
    for length, level in zip(fit.prefix, fit.levels, strict=True):
        part = index_of(pc.utf8_slice_codeunits(whole, 0, length))
        words = {level.split()[-1].lower(), level.lower()}
        last = length == fit.prefix[-1]
        named = [
            n for n in free
            if n not in (code, *found) and not facts[n].numeric
            and (words & set(facts[n].plain.split("_")) or (last and _is_name(facts[n])))
            and follows(part, facts[n].index)
        ]  # fmt: skip
        found.append(named[0] if named else "")
    return tuple(found)


def _is_name(column: ColumnFacts) -> bool:
    words = column.plain.split("_")
    return bool({words[0], words[-1]} & _NAMES) or any(w.endswith(("name", "bez")) for w in words)


def _label_of(facts: SheetFacts, codes: Sequence[str], free: Sequence[str]) -> str:
    """A column of names that the codes settle, and that tells most of them apart."""
    for name in free:
        if name in codes or facts[name].numeric or not _is_name(facts[name]):
            continue
        own = facts.different(codes)
        settled = facts.different([*codes, name]) == own
        if settled and facts[name].distinct >= _LABEL_SHARE * own and facts[name].distinct > 1:
            return name
    return ""


# ------------------------------------------------------------------------------------------ levels


@dataclass(frozen=True, kw_only=True)
class _Level:
    """A column of codes, and the column of names that goes with it."""

    code: str
    label: str = ""


def _by_chain(facts: SheetFacts, free: Sequence[str], *, extra: str, one_row: bool) -> Located:
    """Columns of which each value of a finer one lies in one value of the coarser."""
    levels = _with_labels(facts, free)
    if not one_row:
        known = [lv for lv in levels if PLACE.search(facts[lv.code].plain)]
        levels = known or levels
    if not levels:
        return Located(words={})
    fixed = [extra] if extra else []
    leaf, within = _leaf(facts, levels, fixed, one_row)
    chain, rivals = _chain(facts, levels, leaf)
    if within:
        chain = [lv for lv in levels if lv.code in within and lv.code != leaf.code] + [leaf]
        chain.sort(key=lambda lv: facts[lv.code].distinct if lv is not leaf else facts.n_rows + 1)
        rivals = []
    codes = tuple(lv.code for lv in chain)
    labels = tuple(lv.label or lv.code for lv in chain)
    words: dict[str, Any] = {"levels": codes, "within": bool(within)}
    words |= {"names": labels} if labels != codes else {}
    order = " > ".join(shown_code(name) for name in codes)
    nested = f"levels: {order}, where each lies within the one before"
    reasons = [nested if len(codes) > 1 else f"level: {order}"]
    if within:
        reasons.append(f"codes of {shown_code(codes[-1])} repeat from one region to the next")
    used = frozenset({*codes, *labels})
    return Located(
        words=words,
        used=used,
        reasons=tuple(reasons),
        question=_crossed_question(facts, codes, words) or _rival_question(facts, chain, rivals),
    )


def _crossed_question(
    facts: SheetFacts, codes: Sequence[str], words: Mapping[str, Any]
) -> Question | None:
    """Ask where every region comes with every value of a column that is not called after places.

    Codes that start anew in each region differ in number; sexes or ages come with all regions.
    """
    if not words["within"] or len(codes) < 2:
        return None
    *upper, leaf = codes
    crossed = [
        name for name in upper
        if facts.different([name, leaf]) == facts[name].distinct * facts[leaf].distinct
        and not _named_after_places(facts[name])
    ]  # fmt: skip
    if not crossed:
        return None
    named = join_and([shown_code(name) for name in crossed])
    rest = tuple(name for name in codes if name not in crossed)
    return Question(
        what=f"every region of column {shown_code(leaf)} comes with every value of {named}, as "
        "with sexes or years",
        choices=(
            Choice(words=f"the regions are those of {shown_code(leaf)}, and {named} tells their "
                   "rows apart", stated={"levels": rest}),
            Choice(words=f"each value of {named} is a region with regions of its own",
                   stated={"levels": tuple(codes), "within": True}),
        ),
    )  # fmt: skip


def _named_after_places(column: ColumnFacts) -> bool:
    """Whether a word of the name, apart from "code" or "name", is one for places."""
    kept = [word for word in column.plain.split("_") if word not in LABELS]
    return not kept or bool(PLACE.search("_".join(kept)))


def _with_labels(facts: SheetFacts, free: Sequence[str]) -> list[_Level]:
    """One level a set of columns that go together one to one, from the coarsest."""
    ordered = sorted(free, key=lambda n: (facts[n].distinct, facts.sheet.names.index(n)))
    levels: list[_Level] = []
    for name in ordered:
        twin = next((lv for lv in levels if _code_and_name(facts, lv.code, name)), None)
        if twin is None:
            levels.append(_Level(code=name))
            continue
        if bool(_place_points(facts[twin.code])) != bool(_place_points(facts[name])):
            # Only one of them is about places: the other is an attribute, such as the mayor.
            code = max(twin.code, name, key=lambda n: _place_points(facts[n]))
            if not (_is_name(facts[twin.code]) or _is_name(facts[name])):
                levels[levels.index(twin)] = replace(twin, code=code)
                continue
        code, label = _in_order(facts, twin.code, name)
        place = levels.index(twin)
        levels[place] = replace(twin, code=code, label=twin.label or label)
    return [lv for lv in levels if not _labels_another(facts, lv, levels)] or levels


def _code_and_name(facts: SheetFacts, one: str, other: str) -> bool:
    """Whether two columns are a code and a name of the same regions."""
    if not facts.twins(one, other):
        return False
    words = {*facts[one].plain.split("_"), *facts[other].plain.split("_")}
    named = bool(words & LABELS) or _is_name(facts[one]) or _is_name(facts[other])
    return named or facts[one].coded != facts[other].coded


def _in_order(facts: SheetFacts, one: str, other: str) -> tuple[str, str]:
    """Which of the two is the code, and which the name."""

    def codeness(name: str) -> tuple[int, int]:
        column = facts[name]
        coded = int(bool(CODE.fullmatch(column.plain))) + int(column.coded)
        return coded, -int(_is_name(column))

    return (one, other) if codeness(one) >= codeness(other) else (other, one)


def _labels_another(facts: SheetFacts, level: _Level, levels: Sequence[_Level]) -> bool:
    """A column of names, some of which stand for two regions, is no level above their codes."""
    own = facts[level.code]
    if not (_is_name(own) or not own.coded):
        return False
    for other in levels:
        finer = facts[other.code]
        if other is level or finer.distinct <= own.distinct or not finer.coded:
            continue
        alike = own.distinct >= _LABEL_SHARE * finer.distinct and finer.distinct >= 4
        if alike and facts.different([other.code, level.code]) == finer.distinct:
            return True
    return False


def _leaf(
    facts: SheetFacts, levels: Sequence[_Level], fixed: Sequence[str], one_row: bool
) -> tuple[_Level, tuple[str, ...]]:
    """The finest level, and the codes above that make its codes unique, where they repeat."""
    names = facts.sheet.names

    def fineness(level: _Level) -> tuple[int, int, int]:
        column = facts[level.code]
        return column.distinct_filled, _place_points(column), names.index(level.code)

    finest = max(levels, key=fineness)
    if not one_row or facts.one_row_each([finest.code, *fixed]):
        return finest, ()
    nested, _ = _chain(facts, levels, finest)
    if len(nested) > 1 and facts.one_row_each([*(lv.code for lv in nested), *fixed]):
        return finest, ()  # but for a few rows, which are faults
    others = [lv for lv in levels if lv is not finest]
    upper = [lv.code for lv in others if PLACE.search(facts[lv.code].plain)] or [
        lv.code for lv in others
    ]
    for k in range(len(upper)):
        above = upper[: k + 1]
        if facts.one_row_each([*above, finest.code, *fixed]):
            return finest, _needed(facts, above, finest.code, fixed)
    for level in reversed(others):
        above = [lv.code for lv in others if lv is not level]
        if facts.one_row_each([*above, level.code, *fixed]):
            return level, _needed(facts, [*above], level.code, fixed)
    return finest, ()


def _needed(
    facts: SheetFacts, above: Sequence[str], code: str, fixed: Sequence[str]
) -> tuple[str, ...]:
    """The codes above that nest, from the top, with `code`."""
    chain: list[str] = []
    for name in sorted(above, key=lambda n: facts[n].distinct):
        if not chain or facts.within([*chain, name], chain[-1]):
            chain.append(name)
    return (*chain, code) if facts.one_row_each([*chain, code, *fixed]) else (*above, code)


def _chain(
    facts: SheetFacts, levels: Sequence[_Level], leaf: _Level
) -> tuple[list[_Level], list[_Level]]:
    """The levels above `leaf` that nest, and those that do not nest with them."""
    above = [
        lv for lv in levels
        if lv is not leaf and _coarser(facts, lv.code, leaf.code)
        and facts.within([leaf.code], lv.code)
    ]  # fmt: skip
    above = [lv for lv in above if not _repeats_below(facts, lv, above, leaf)]
    above.sort(
        key=lambda lv: (_place_points(facts[lv.code]), facts[lv.code].distinct), reverse=True
    )
    chain: list[_Level] = []
    rivals: list[_Level] = []
    for level in above:
        nests = all(_nested(facts, level.code, other.code) for other in chain)
        (chain if nests else rivals).append(level)
    chain.sort(key=lambda lv: facts[lv.code].distinct)
    return [*chain, leaf], rivals


def _repeats_below(
    facts: SheetFacts, level: _Level, levels: Sequence[_Level], leaf: _Level
) -> bool:
    """A column that names the last regions within another one, such as a county's number."""
    own, finest = facts[level.code].distinct, facts[leaf.code].distinct
    return any(
        facts[other.code].distinct < own
        and facts[other.code].distinct * own > finest  # not every value with every other
        and not facts.within([level.code], other.code)
        and facts.different([other.code, level.code]) == finest
        for other in levels
        if other is not level
    )


def _coarser(facts: SheetFacts, one: str, leaf: str) -> bool:
    """Whether a column has fewer codes than `leaf`, blanks aside: those of ragged levels."""
    own, finest = facts[one], facts[leaf]
    if own.distinct_filled != finest.distinct_filled:
        return own.distinct_filled < finest.distinct_filled
    blanks = own.distinct + finest.distinct > own.distinct_filled + finest.distinct_filled
    return blanks and facts.sheet.names.index(one) < facts.sheet.names.index(leaf)


def _place_points(column: ColumnFacts) -> int:
    return 2 * bool(PLACE.search(column.plain)) + bool(CODE.fullmatch(column.plain))


def _nested(facts: SheetFacts, one: str, other: str) -> bool:
    fine, coarse = sorted((one, other), key=lambda n: -facts[n].distinct)
    return facts.within([fine], coarse)


def _rival_question(
    facts: SheetFacts, chain: Sequence[_Level], rivals: Sequence[_Level]
) -> Question | None:
    """Ask where another column may be a level as well as one that was taken."""
    if not rivals or len(chain) < 2:
        return None
    weakest = min(_place_points(facts[lv.code]) for lv in chain[:-1])
    strong = [lv for lv in rivals if _place_points(facts[lv.code]) >= max(weakest, 1)]
    if not strong and weakest > 0:
        return None
    leaf = chain[-1].code
    taken = tuple(lv.code for lv in chain)
    choices = [Choice(words=_in_words(taken), stated={"levels": taken})]
    for rival in strong or rivals:
        nests = [lv.code for lv in chain[:-1] if _nested(facts, lv.code, rival.code)]
        path = (*sorted([*nests, rival.code], key=lambda n: facts[n].distinct), leaf)
        choices.append(Choice(words=_in_words(path), stated={"levels": path}))
    choices.append(Choice(words=_in_words((leaf,)), stated={"levels": (leaf,)}))
    names = ", ".join(shown_code(lv.code) for lv in (*chain[:-1], *(strong or rivals)))
    return Question(
        what=f"columns {names} may each be a level, and they do not nest in each other",
        choices=tuple(choices[:8]),
    )


def _in_words(levels: Sequence[str]) -> str:
    return f"the levels are {' > '.join(shown_code(name) for name in levels)}"
