"""A first guess of what the columns mean, with reasons; somebody confirms it."""

import re
from collections.abc import Sequence

import numpy as np
import pyarrow.compute as pc

from hierdp_core.exceptions import ChoiceError
from hierdp_core.readers.build.counts_from_text import looks_numeric
from hierdp_core.readers.columns.codes import Fit, bare_codes, fit_of
from hierdp_core.readers.columns.guess_facts import Guess, follows, index_of, spread
from hierdp_core.readers.columns.guess_words import (
    CODE,
    COUNT,
    DESTINATION,
    GROUP,
    LABELS,
    NOT_A_PLACE,
    ORIGIN,
    PARENT,
    PLACE,
    SIZE,
    SIZE_COLUMN,
    plain_name,
)
from hierdp_core.readers.columns.layout import Layout
from hierdp_core.readers.columns.official import recognised
from hierdp_core.readers.formats.sheet import Sheet, as_mask
from hierdp_core.readers.report import shown_code


def guess(sheet: Sheet) -> Guess:
    """What `sheet` may hold: an official file first, then by names and content."""
    known = recognised(sheet)
    if known is not None and (known.layout is not None or known.words is None):
        reason = (f"its columns are those of: {known.title}",)
        missing = "" if known.layout else known.caution
        return Guess(
            layout=known.layout, reasons=reason, title=known.title, missing=missing,
            caution=known.caution if known.layout else "", official=known.layout is not None,
        )  # fmt: skip
    work = _Work(spread(sheet))
    if known is not None and known.words is not None:
        work.because(f"its columns are those of: {known.title}")
        work.taken |= set(known.taken)
        if not known.words:
            return Guess(
                layout=None, reasons=tuple(work.reasons), title=known.title, missing=known.caution
            )
    words = dict(known.words or {}) if known else work.measures()
    places = work.places(words)
    if not places:
        return Guess(
            layout=None,
            reasons=tuple(work.reasons),
            missing="no column looks like the code or name of a region: "
            'say which in [columns], such as levels = ["state", "county"]',
        )
    try:
        layout = Layout(**(words | places))  # type: ignore[arg-type]
    except ChoiceError as error:
        return Guess(layout=None, reasons=tuple(work.reasons), missing=str(error).rstrip("."))
    return Guess(
        layout=layout,
        reasons=tuple(work.reasons),
        title=known.title if known else "",
        caution=known.caution if known else "",
    )


class _Work:
    """One guess in the making: columns already taken, and why."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.plain = {name: plain_name(name) for name in sheet.names}
        self.numeric = {n for n in sheet.names if looks_numeric(sheet.column(n))}
        self.distinct = {n: len(pc.unique(sheet.column(n))) for n in sheet.names}
        self.taken: set[str] = set()
        self.reasons: list[str] = []

    def because(self, words: str) -> None:
        self.reasons.append(words)

    def free(self) -> list[str]:
        return [name for name in self.sheet.names if name not in self.taken]

    def take(self, *names: str) -> None:
        self.taken |= set(names)

    def measures(self) -> dict[str, object]:
        """The kind of table, what a row is, and the columns of numbers."""
        flows = self._flows()
        if flows:
            return flows
        sizes = self._size_columns()
        if sizes:
            return sizes
        size = next((n for n in self.free() if self.plain[n] in SIZE), "")
        if size:
            self.take(size)
            self.because(f"column {shown_code(size)} holds the size of a group")
            count = self._count_column()
            if count:
                self.because(f"column {shown_code(count)} says how many groups there are")
                return {"kind": "group-sizes", "row": "region", "size": size, "count": count}
            self.because("no column of counts, so that each row is one group")
            return {"kind": "group-sizes", "row": "group", "size": size}
        group = next((n for n in self.free() if self._is_group(n)), "")
        if group:
            self.take(group)
            self.because(f"column {shown_code(group)} says a person's group; each row is a person")
            return {"kind": "group-sizes", "row": "person", "group": group}
        count = self._count_column()
        if count:
            self.because(f"column {shown_code(count)} holds the counts, one row a region")
            return {"kind": "counts", "row": "region", "count": count}
        self.because("no column of counts, so that each row is one person")
        return {"kind": "counts", "row": "person"}

    def _is_group(self, name: str) -> bool:
        return bool(GROUP.fullmatch(self.plain[name])) and self.distinct[name] > 1

    def _count_column(self) -> str:
        free = self.free()
        named = [n for word in COUNT for n in free if self.plain[n] == word]
        parts = [n for n in free if set(self.plain[n].split("_")) & set(COUNT)
                 and n in self.numeric and not CODE.fullmatch(self.plain[n])]  # fmt: skip
        numbers = [n for n in free if n in self.numeric and self._is_measure(n)]
        for found in (named, parts, numbers[-1:]):
            if found:
                self.take(found[0])
                return found[0]
        return ""

    def _is_measure(self, name: str) -> bool:
        if CODE.fullmatch(self.plain[name]) or NOT_A_PLACE.fullmatch(self.plain[name]):
            return False
        text = self.sheet.column(name)
        if as_mask(pc.match_substring_regex(text, "^0[0-9]+$")).any():
            return False
        others = [n for n in self.free() if n != name]
        return bool(others) and fit_of(text, name) is None

    def _size_columns(self) -> dict[str, object]:
        found: dict[int, str] = {}
        more = ""
        for name in self.free():
            match = SIZE_COLUMN.fullmatch(name.lower().replace("-", "_"))
            if (
                match
                and not name.startswith("column ")
                and name in self.numeric
                and int(match[1]) not in found
            ):
                found[int(match[1])] = name
                more = name if re.search(r"\+|plus|more", name.lower()) else more
        sizes = sorted(found)
        if len(sizes) < 2 or sizes != list(range(sizes[0], sizes[0] + len(sizes))) or sizes[0] > 1:
            return {}
        columns = tuple(found[size] for size in sizes)
        self.take(*columns)
        last = f" or more ({shown_code(more)})" if more else ""
        self.because(
            f"{len(columns)} columns count the groups of size {sizes[0]} to {sizes[-1]}{last}"
        )
        return {
            "kind": "group-sizes", "row": "region", "sizes": columns,
            "first_size": sizes[0], "top_coded": bool(more),
        }  # fmt: skip

    def _flows(self) -> dict[str, object]:
        origins = [n for n in self.free() if self._end(n, ORIGIN) is not None]
        pairs: list[tuple[str, str]] = []
        for origin in origins:
            rest = self._end(origin, ORIGIN)
            for name in self.free():
                if name != origin and self._end(name, DESTINATION) == rest:
                    pairs.append((origin, name))
                    break
        pairs = [(o, d) for o, d in pairs if not NOT_A_PLACE.fullmatch(self._end(o, ORIGIN) or "")]
        if not pairs:
            return {}
        codes = [pair for pair in pairs if CODE.fullmatch(self.plain[pair[0]])]
        names = [pair for pair in pairs if self.plain[pair[0]].endswith("name")]
        if len(codes) > 0 and len(names) > 0:
            pairs = [pair for pair in pairs if pair not in names]
        pairs.sort(key=lambda pair: self.distinct[pair[0]])
        self.take(*(name for pair in pairs for name in pair))
        self.take(*(name for pair in names for name in pair))
        self.because(
            "origins and destinations: "
            + ", ".join(f"{shown_code(o)} → {shown_code(d)}" for o, d in pairs)
        )
        count = self._count_column()
        row = "pair" if count else "trip"
        self.because(
            f"column {shown_code(count)} holds the trips" if count else "each row is one trip"
        )
        words: dict[str, object] = {
            "kind": "flows", "row": row, "count": count,
            "levels": tuple(o for o, _ in pairs), "destinations": tuple(d for _, d in pairs),
        }  # fmt: skip
        if len(pairs) > 1:
            rests = [self._end(o, ORIGIN) or o for o, _ in pairs]
            words["level_names"] = tuple(rest.replace("_", " ").strip() for rest in rests)
        else:
            words |= self._flow_prefix(*pairs[0])
        return words

    def _flow_prefix(self, origin: str, destination: str) -> dict[str, object]:
        import pyarrow as pa

        ends = [self.sheet.column(origin), self.sheet.column(destination)]
        fit = fit_of(pa.concat_arrays(ends), origin)
        if fit is None:
            return {"level_names": ("place",)}
        self.because(f"codes are {fit.scheme.title}")
        return {"prefix": fit.prefix, "fill": fit.width}

    def _end(self, name: str, words: str) -> str | None:
        plain = self.plain[name]
        match = re.fullmatch(rf"{words}(?:_(.*))?", plain) or re.fullmatch(
            rf"(?:(.*)_){words}", plain
        )
        if match is None:
            return None
        found = [g for g in match.groups() if g and not re.fullmatch(words, g)]
        return found[0] if found else ""

    def places(self, words: dict[str, object]) -> dict[str, object]:
        """The columns of regions."""
        if words.get("kind") == "flows":
            return {"kind": "flows"}
        free = [n for n in self.free() if not NOT_A_PLACE.fullmatch(self.plain[n])]
        free = [n for n in free if not self._is_left_measure(n)]
        parent = next((n for n in free if self.plain[n] in PARENT), "")
        if parent:
            return self._by_parent(parent, [n for n in free if n != parent])
        prefixed = self._by_prefix(free)
        if prefixed:
            return prefixed
        return self._by_chain(free, one_row=words.get("row") == "region" and "size" not in words)

    def _is_left_measure(self, name: str) -> bool:
        """A column of numbers with fractions, or a second count."""
        text = self.sheet.column(name)
        return name in self.numeric and bool(as_mask(pc.match_substring(text, ".")).any())

    def _by_parent(self, parent: str, free: Sequence[str]) -> dict[str, object]:
        parents = set(pc.unique(self.sheet.column(parent)).to_pylist()) - {""}

        def shared(name: str) -> int:
            return len(parents & set(pc.unique(self.sheet.column(name)).to_pylist()))

        code = max(free, key=shared, default="")
        if not code:
            return {}
        self.because(f"column {shown_code(parent)} names the region above {shown_code(code)}")
        names = self._names_for(code, free)
        return {"levels": (code,), "parent": parent, "names": names}

    def _by_prefix(self, free: Sequence[str]) -> dict[str, object]:
        best: tuple[int, str, Fit] | None = None
        for name in free:
            fit = fit_of(self.sheet.column(name), name)
            if fit is not None and (best is None or self.distinct[name] > best[0]):
                best = (self.distinct[name], name, fit)
        if best is None:
            return {}
        _, name, fit = best
        lengths = ", ".join(str(n) for n in fit.prefix)
        self.because(
            f"column {shown_code(name)} holds {fit.scheme.title}: a code begins with the one above "
            f"({', '.join(fit.levels)}; lengths {lengths})"
        )
        if fit.width:
            self.because(f"leading zeros were lost: codes have {fit.width} digits")
        names = self._names_of_levels(name, fit, free)
        return {"levels": (name,), "prefix": fit.prefix, "fill": fit.width, "names": names}

    def _names_of_levels(self, code: str, fit: Fit, free: Sequence[str]) -> tuple[str, ...]:
        """A column of names for each level that has one, such as state and county."""
        whole = bare_codes(self.sheet.column(code))
        if fit.width:
            whole = pc.utf8_lpad(whole, fit.width, padding="0")
        found: list[str] = []
        for length, level in zip(fit.prefix, fit.levels, strict=True):
            part = index_of(pc.utf8_slice_codeunits(whole, 0, length))
            words = {level.split()[-1], level}
            last = length == fit.prefix[-1]
            named = [
                n
                for n in free
                if n not in (code, *found)
                and n not in self.numeric
                and (words & set(self.plain[n].split("_")) or (last and self._is_name(n)))
                and follows(part, index_of(self.sheet.column(n)))
            ]
            found.append(named[0] if named else "")
        if any(found):
            self.because("names are in " + ", ".join(shown_code(n) for n in found if n))
        return tuple(found) if any(found) else ()

    def _is_name(self, name: str) -> bool:
        return self.plain[name].split("_")[-1] in ("name", "namelsad", "label", "den", "comune")

    def _names_for(self, code: str, free: Sequence[str]) -> tuple[str, ...]:
        """A column of names that goes with the codes one to one."""
        for name in free:
            if name != code and self._is_name(name) and self._determines(code, name):
                self.because(f"column {shown_code(name)} holds the names")
                return (name,)
        return ()

    def _by_chain(self, free: Sequence[str], *, one_row: bool) -> dict[str, object]:
        """Columns of which each value of a finer one lies in one value of the coarser."""
        codes = [n for n in free if self.distinct[n] >= 1 and not self._blank(n)]
        codes.sort(key=lambda n: (self.distinct[n], self.sheet.names.index(n)))
        chain: list[str] = []
        names: dict[str, str] = {}
        for name in codes:
            alone = self.distinct[name] == 1 and self.sheet.n_rows > 1
            if alone and (name in self.numeric or not PLACE.search(self.plain[name])):
                continue
            twin = next((c for c in chain if self._twins(c, name)), "")
            if twin:
                code, other = self._code_and_name(twin, name)
                chain[chain.index(twin)] = code
                names[code] = other
            elif not chain or self._determines(name, chain[-1]):
                chain.append(name)
        within = False
        if one_row and chain and not self._one_row_each(chain):
            more = [n for n in codes if n not in chain and n not in names.values()]
            for name in more:
                if self._one_row_each([*chain, name]):
                    chain.append(name)
                    within = True
                    break
        if not chain:
            single = [n for n in codes if n not in names.values()]
            chain = single[-1:]
        if not chain:
            return {}
        order = " > ".join(shown_code(name) for name in chain)
        self.because(f"levels: {order}" + (": each lies within the one before" * (len(chain) > 1)))
        if within:
            self.because(f"codes of {shown_code(chain[-1])} repeat from one region to the next")
        shown = tuple(names.get(name, name) for name in chain) if names else ()
        return {"levels": tuple(chain), "within": within, "names": shown}

    def _blank(self, name: str) -> bool:
        return not as_mask(pc.not_equal(self.sheet.column(name), "")).any()

    def _one_row_each(self, columns: Sequence[str]) -> bool:
        return len(np.unique(self._keys(columns))) == self.sheet.n_rows

    def _keys(self, columns: Sequence[str]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        key = np.zeros(self.sheet.n_rows, dtype=np.int64)
        for name in columns:
            index = index_of(self.sheet.column(name))
            _, key = np.unique(key * (index.max() + 1) + index, return_inverse=True)
        return key

    def _determines(self, fine: str, coarse: str) -> bool:
        """Whether nearly every value of `fine` lies in one value of `coarse`."""
        pairs = len(np.unique(self._keys([fine, coarse])))
        return (
            pairs <= self.distinct[fine] * 1.02 + 1
            if self.sheet.n_rows > 50
            else (pairs <= self.distinct[fine] + (self.distinct[fine] > 3))
        )

    def _twins(self, one: str, other: str) -> bool:
        """Whether two columns are a code and a name of the same regions."""
        if self.distinct[one] != self.distinct[other]:
            return False
        words = [set(self.plain[name].split("_")) for name in (one, other)]
        code_and_text = self._has_digits(one) != self._has_digits(other)
        if not code_and_text and not (words[0] | words[1]) & LABELS:
            return False
        return len(np.unique(self._keys([one, other]))) == self.distinct[one]

    def _has_digits(self, name: str) -> bool:
        text = self.sheet.column(name)
        return bool(as_mask(pc.match_substring_regex(text, "^[^ ]*[0-9][^ ]*$")).mean() > 0.5)

    def _code_and_name(self, one: str, other: str) -> tuple[str, str]:
        def codeness(name: str) -> tuple[int, int]:
            words = self.plain[name]
            coded = int(bool(CODE.fullmatch(words))) + int(self._has_digits(name))
            return coded, -int("name" in words)

        return (one, other) if codeness(one) >= codeness(other) else (other, one)
