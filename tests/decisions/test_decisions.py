"""Rules against slow oracles, known results and impossible wishes."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import hierdp_core as hdp
from hierdp_core import decisions
from hierdp_core.decisions import RULES, decide, get, names
from hierdp_core.decisions.grouping import cut, deviation
from hierdp_core.decisions.ranking import ranks
from hierdp_core.decisions.seats import METHODS, apportion
from hierdp_core.evaluation.released_counts import LevelSimulations
from hierdp_core.exceptions import ChoiceError

# Seats of the House of Representatives after the census of 2010.
# Source: US Census Bureau, Congressional Apportionment, 2010 Census Briefs C2010BR-08, Table 1.
HOUSE_2010 = (
    "CA 53, TX 36, NY 27, FL 27, IL 18, PA 18, OH 16, MI 14, GA 14, NC 13, NJ 12, VA 11, WA 10, "
    "MA 9, IN 9, AZ 9, TN 9, MO 8, MD 8, WI 8, MN 8, CO 7, AL 7, SC 7, LA 6, KY 6, OR 5, OK 5, "
    "CT 5, IA 4, MS 4, AR 4, KS 4, UT 4, NV 4, NM 3, WV 3, NE 3, ID 2, HI 2, ME 2, NH 2, RI 2, "
    "MT 1, DE 1, SD 1, AK 1, ND 1, VT 1, WY 1"
)
STATES = {
    "AL": "Alabama", "AK": "Alaska", "AZ": "Arizona", "AR": "Arkansas", "CA": "California",
    "CO": "Colorado", "CT": "Connecticut", "DE": "Delaware", "FL": "Florida", "GA": "Georgia",
    "HI": "Hawaii", "ID": "Idaho", "IL": "Illinois", "IN": "Indiana", "IA": "Iowa",
    "KS": "Kansas", "KY": "Kentucky", "LA": "Louisiana", "ME": "Maine", "MD": "Maryland",
    "MA": "Massachusetts", "MI": "Michigan", "MN": "Minnesota", "MS": "Mississippi",
    "MO": "Missouri", "MT": "Montana", "NE": "Nebraska", "NV": "Nevada", "NH": "New Hampshire",
    "NJ": "New Jersey", "NM": "New Mexico", "NY": "New York", "NC": "North Carolina",
    "ND": "North Dakota", "OH": "Ohio", "OK": "Oklahoma", "OR": "Oregon", "PA": "Pennsylvania",
    "RI": "Rhode Island", "SC": "South Carolina", "SD": "South Dakota", "TN": "Tennessee",
    "TX": "Texas", "UT": "Utah", "VT": "Vermont", "VA": "Virginia", "WA": "Washington",
    "WV": "West Virginia", "WI": "Wisconsin", "WY": "Wyoming",
}  # fmt: skip

COUNTS = st.lists(st.integers(0, 60), min_size=1, max_size=7)


def level(true, released=None, *, names=None):
    known = names or tuple(f"p{k}" for k in range(len(true)))
    true = np.asarray(true)
    return LevelSimulations(
        level="county",
        nodes=np.arange(len(true)),
        ids=tuple(known),
        names=tuple(known),
        true=true,
        released=true[None] if released is None else np.asarray(released),
    )


@st.composite
def levels(draw, most=8):
    n, draws = draw(st.integers(2, most)), draw(st.integers(1, 4))
    true = draw(arrays(np.int64, n, elements=st.integers(1, 40)))
    noise = draw(arrays(np.int64, (draws, n), elements=st.integers(-45, 45)))
    return level(true, true + noise)


# --- every rule


@pytest.mark.parametrize("rule", names())
@given(places=levels())
def test_every_rule_gives_its_columns_as_frequencies(rule, places):
    found = decide(rule, places)
    assert list(found.places) == [
        "id",
        "name",
        "true",
        "wrong",
        *(c.id for c in RULES[rule].place_columns),
    ]
    assert list(found.by_simulation) == [c.id for c in RULES[rule].simulation_columns]
    assert found.n_simulations == len(places.released)
    allocation = ["wrong", *(c.id for c in RULES[rule].place_columns if c.kind == "share")]
    assert found.places[allocation].stack().between(0, 1).all()
    assert not np.isinf(found.by_simulation.to_numpy(float)).any()


@pytest.mark.parametrize("rule", names())
@given(places=levels())
def test_without_noise_no_outcome_differs(rule, places):
    found = decide(rule, level(places.true))
    assert (found.places["wrong"].dropna() == 0).all()
    known = found.facts.get("exact", 0)
    assert found.by_simulation[RULES[rule].simulation_columns[0].id].tolist() == [known]


@pytest.mark.parametrize("rule", names())
def test_usual_parameters_are_read_back_from_their_words(rule):
    places = level([30, 20, 10, 50], names=("a", "b,c", "d&e", "District of Columbia"))
    usual = get(rule).read({}, places)
    stated = {name: get(rule).parameter(name).say(value) for name, value in usual.items()}
    assert get(rule).read(stated, places) == usual


def test_a_proportion_keeps_every_digit_in_an_address():
    shares = [(rule, one) for rule in RULES.values() for one in rule.parameters]
    shares = [(rule, one) for rule, one in shares if one.kind == "share"]
    assert shares
    for rule, one in shares:
        assert one.say(0.012345678901234) == "0.012345678901234"
        read = rule.read({one.name: one.say(2 / 3)}, level([30, 20, 10, 50]))
        assert read[one.name] == 2 / 3


@pytest.mark.parametrize(
    ("rule", "name", "value", "text"),
    [
        ("threshold", "side", "at-least", "at least"),
        ("threshold", "limit", 50_000, "50,000"),
        ("threshold", "limit", 0.5, "0.5"),
        ("funding", "tolerance", 0.005, "0.5%"),
        ("seats", "without", ("DC", "PR"), "DC and PR"),
        ("seats", "without", (), "none"),
    ],
)
def test_parameters_are_shown_as_people_read_them(rule, name, value, text):
    assert get(rule).parameter(name).shown(value) == text


@pytest.mark.parametrize("rule", names())
def test_numbers_that_are_none_are_refused_by_name(rule):
    with pytest.raises(ChoiceError, match="the released count of p1 is nan"):
        decide(rule, level([4.0, 5.0], [[1.0, 2.0], [3.0, np.nan]]))
    with pytest.raises(ChoiceError, match="the true count of p0 is inf"):
        decide(rule, level([np.inf, 5.0], [[1.0, 2.0]]))
    with pytest.raises(ChoiceError, match="at least one simulated release"):
        decide(rule, level([4, 5], np.zeros((0, 2))))
    with pytest.raises(ChoiceError, match="no county to decide"):
        decide(rule, level(np.zeros(0), np.zeros((1, 0))))


@pytest.mark.parametrize(
    ("rule", "wrong", "message"),
    [
        ("lottery", {}, 'There is no rule "lottery". Choose threshold, funding'),
        ("threshold", {"money": 3}, 'no parameter "money". Choose side or limit'),
        ("threshold", {"limit": -1}, "a number, at least 0"),
        ("threshold", {"limit": math.nan}, "a number, at least 0"),
        ("threshold", {"limit": "many"}, 'got "many"'),
        ("threshold", {"side": "near"}, "Choose at-least, above or below"),
        (
            "funding",
            {"money": 0},
            r'“Total funding \(US\$\)”, is a number, at least 0.01.*got "0"',
        ),
        ("funding", {"money": -5}, "at least 0.01"),
        ("funding", {"tolerance": 0}, "a proportion above 0"),
        ("funding", {"tolerance": 1.5}, "a proportion above 0"),
        ("ranking", {"k": 0}, "a whole number, at least 1"),
        ("ranking", {"k": 1.5}, "a whole number"),
        ("ranking", {"k": True}, "a whole number"),
        ("ranking", {"k": 5}, "has 4 areas, and 5 cannot be selected. Give a number up to 4"),
        ("seats", {"seats": 3}, "gives each of the 4 areas.*at least 4; got 3.*D’Hondt"),
        ("seats", {"seats": 111}, r"more seats than counted units: 111 seats, .* add up to 110\."),
        ("seats", {"without": ("p9",)}, 'No county has the code "p9"'),
        ("seats", {"without": ("p0", "p1", "p2", "p3")}, "Every area is excluded"),
        ("grouping", {"groups": 5}, "4 areas of the level county cannot form 5 districts"),
        ("grouping", {"groups": 1}, "a whole number, at least 2"),
    ],
)
def test_impossible_wishes_are_refused(rule, wrong, message):
    with pytest.raises(ChoiceError, match=message):
        decide(rule, level([30, 20, 10, 50]), **wrong)


def test_one_area_forms_no_districts():
    with pytest.raises(
        ChoiceError, match=r"^1 area of .* cannot form 2 districts\. Choose a lower"
    ):
        decide("grouping", level([30]))


# --- threshold


def test_a_threshold_by_hand():
    places = level([10, 20, 30], [[21, 20, 30], [10, 19, 19], [10, 25, 31]])
    found = decide("threshold", places, limit=20, side="at-least")
    assert found.places["qualifies"].tolist() == [False, True, True]
    assert found.places["wrongly_in"].tolist() == pytest.approx([1 / 3, 0, 0])
    assert found.places["wrongly_out"].tolist() == pytest.approx([0, 1 / 3, 1 / 3])
    assert found.by_simulation["wrong"].tolist() == [1, 2, 0]
    above = decide("threshold", places, limit=20, side="above")
    assert above.places["qualifies"].tolist() == [False, False, True]


@given(places=levels(), limit=st.integers(0, 60))
def test_below_is_the_reverse_of_at_least(places, limit):
    low, high = (decide("threshold", places, limit=limit, side=s) for s in ("below", "at-least"))
    assert low.places["wrongly_in"].tolist() == high.places["wrongly_out"].tolist()
    assert low.places["wrong"].tolist() == high.places["wrong"].tolist()


def test_a_threshold_that_no_place_meets_is_still_answered():
    found = decide("threshold", level([10, 20], [[10, 20], [10, 2000]]), limit=1000)
    assert found.facts["qualify"] == 0
    assert found.places["wrong"].tolist() == [0, 0.5]


# --- funding


@given(places=levels(), money=st.floats(0.01, 1e12))
def test_all_of_the_money_is_given_and_what_some_lose_others_gain(places, money):
    found = decide("funding", places, money=money)
    assert found.places["due"].sum() == pytest.approx(money)
    assert abs(found.places["mean_change"].sum()) <= 1e-9 * money
    lost = found.places["mean_loss"].sum()
    assert lost == pytest.approx(
        found.by_simulation["misplaced"].mean(), rel=1e-6, abs=1e-9 * money
    )
    assert (
        found.by_simulation["largest_loss"] <= found.by_simulation["misplaced"] * (1 + 1e-9)
    ).all()
    assert (found.places["low"] <= found.places["high"]).all()


def test_funding_by_hand():
    found = decide("funding", level([50, 50], [[60, 40], [-9, 0]]), money=100, tolerance=0.1)
    assert found.by_simulation["misplaced"].tolist() == [
        10,
        0,
    ]  # nothing for anyone: all get the same
    assert found.places["wrong"].tolist() == [0, 0.5]
    assert found.places["worst_loss"].tolist() == [0, 10]
    assert found.by_simulation["losers"].tolist() == [1, 0]


# --- ranking


@given(places=levels(), factor=st.integers(1, 9), shift=st.integers(0, 99))
def test_ranks_do_not_care_about_the_unit(places, factor, shift):
    k = len(places.true) // 2
    moved = level(places.true * factor + shift, places.released * factor + shift)
    first, second = decide("ranking", places, k=k), decide("ranking", moved, k=k)
    assert first.places["wrong"].tolist() == second.places["wrong"].tolist()
    assert first.by_simulation.equals(second.by_simulation)


@given(counts=COUNTS)
def test_ranks_are_those_of_a_stable_sort(counts):
    order = sorted(range(len(counts)), key=lambda i: (-counts[i], i))
    assert ranks(np.array(counts)).tolist() == [order.index(i) + 1 for i in range(len(counts))]
    smallest = sorted(range(len(counts)), key=lambda i: (counts[i], i))
    assert ranks(np.array(counts), "smallest")[smallest].tolist() == sorted(ranks(np.array(counts)))


def test_the_first_places_change_as_a_set_and_in_order():
    places = level([9, 8, 7, 1], [[9, 8, 7, 1], [8, 9, 7, 1], [9, 6, 7, 1], [9, 7, 7, 1]])
    found = decide("ranking", places, k=2)
    assert found.by_simulation["replaced"].tolist() == [0, 0, 1, 0]  # of equal ones the first
    assert found.by_simulation["reordered"].tolist() == [0, 1, 1, 0]
    assert found.places["leaves"].tolist() == [0, 0.25, 0, 0]
    assert found.places["enters"].tolist() == [0, 0, 0.25, 0]
    assert decide("ranking", places, k=4).by_simulation["replaced"].sum() == 0


# --- seats


def one_by_one(counts, seats, method):
    """The seats handed out one after another, in exact arithmetic."""
    weights = [max(0, c) for c in counts] if any(c > 0 for c in counts) else [1] * len(counts)
    held = [int(method == "huntington-hill")] * len(counts)
    while sum(held) < seats:
        claims = [
            Fraction(w, s + 1) if method == "dhondt" else Fraction(w * w, s * (s + 1))
            for w, s in zip(weights, held, strict=True)
        ]
        held[claims.index(max(claims))] += 1
    return held


@pytest.mark.parametrize("method", METHODS)
@given(counts=COUNTS, more=st.integers(0, 40))
def test_seats_are_those_handed_out_one_by_one(method, counts, more):
    seats = len(counts) + more
    found = apportion(np.array(counts), seats, method).tolist()
    assert found == one_by_one(counts, seats, method)
    assert sum(found) == seats


@pytest.mark.parametrize("method", METHODS)
@given(counts=COUNTS, more=st.integers(0, 40))
def test_no_place_loses_a_seat_when_the_house_grows(method, counts, more):
    seats = len(counts) + more
    small, large = (apportion(np.array(counts), n, method) for n in (seats, seats + 1))
    assert (large >= small).all()


@given(counts=st.lists(st.integers(1, 40), min_size=1, max_size=4), more=st.integers(0, 8))
def test_dhondt_is_the_division_by_one_number(counts, more):
    """One divisor, each quotient rounded down, gives the seats, except for ties."""
    seats = len(counts) + more
    divisors = {Fraction(c, s) for c in counts for s in range(1, seats + 1)}
    fitting = [
        [int(c / d) for c in counts] for d in divisors if sum(int(c / d) for c in counts) == seats
    ]
    if fitting:
        assert apportion(np.array(counts), seats, "dhondt").tolist() in fitting


@pytest.mark.parametrize("method", METHODS)
def test_many_simulations_at_once_are_the_same_as_each_alone(method):
    counts = np.random.default_rng(1).integers(-20, 90, (30, 12))
    together = apportion(counts, 40, method)
    assert together.tolist() == [one_by_one(row.tolist(), 40, method) for row in counts]


def test_the_house_of_2010_comes_out_as_it_is():
    """Without noise the sample's state populations give the 435 seats of 2010.

    The sample holds residents. The law counts residents and federal employees overseas, 309.2
    against 308.1 million; for 2010 both give the same seats. The District of Columbia has none.
    """
    table = hdp.samples.load("us-population").table
    assert table.quantities[0].id == "count"
    states = table.tree.level(table.regions.level_index("state"))
    known = level(table.values[states], names=table.regions.names[states])
    found = decide("seats", known, seats=435, method="huntington-hill")
    expected = {STATES[part.split()[0]]: int(part.split()[1]) for part in HOUSE_2010.split(", ")}
    assert sum(expected.values()) == 435
    frame = found.places.set_index("name")["seats"]
    assert found.parameters["without"] == ("District of Columbia",)
    assert np.isnan(frame.pop("District of Columbia"))
    assert frame.astype(int).to_dict() == expected
    assert found.by_simulation["moved"].tolist() == [0]


def test_seats_that_move_are_counted_once_and_those_left_out_have_none():
    places = level([60, 40, 500], [[60, 40, 1], [40, 60, 9]], names=("a", "b", "Puerto Rico"))
    found = decide("seats", places, seats=10)
    assert found.places["seats"].tolist()[:2] == [6, 4]
    assert np.isnan(found.places["wrong"][2])
    assert found.by_simulation["moved"].tolist() == [0, 2]
    assert found.by_simulation["changed"].tolist() == [0, 2]
    assert found.places["gains"].tolist()[:2] == [0, 0.5]


# --- groups


def slow_cut(counts, groups):
    weights = [max(0, c) for c in counts] if any(c > 0 for c in counts) else [1] * len(counts)
    ends, n = [], len(counts)
    for g in range(1, groups):
        wanted = Fraction(sum(weights) * g, groups)
        options = range(1, n)
        nearest = min(options, key=lambda end: (abs(sum(weights[:end]) - wanted), end))
        ends.append(nearest)
    for g in range(len(ends)):
        ends[g] = max(ends[g], ends[g - 1] + 1 if g else 1)
    ends = [min(end, n - groups + 1 + g) for g, end in enumerate(ends)]
    return [sum(end <= i for end in ends) for i in range(n)]


@given(counts=st.lists(st.integers(1, 60), min_size=2, max_size=9), data=st.data())
def test_cuts_are_the_nearest_ones(counts, data):
    groups = data.draw(st.integers(2, len(counts)))
    assert cut(np.array(counts), groups).tolist() == slow_cut(counts, groups)


@given(places=levels(), data=st.data())
def test_no_group_is_empty_and_places_keep_their_order(places, data):
    groups = data.draw(st.integers(2, len(places.true)))
    found = cut(places.released, groups)
    assert (np.diff(found, axis=1) >= 0).all()
    assert all(set(row) == set(range(groups)) for row in found.tolist())


def test_groups_by_hand():
    places = level([10, 10, 10, 10], [[10, 10, 10, 10], [10, 10, 50, 10]])
    found = decide("grouping", places, groups=2)
    assert found.places["group"].tolist() == [1, 1, 2, 2]
    assert found.facts["ideal"] == 20
    assert found.facts["exact"] == 0
    # 80 in all: a cut before the third place leaves 20, after it 70; 20 is nearer to 40.
    assert found.by_simulation["deviation"].tolist() == [0, 0]
    moved = decide("grouping", level([10, 10, 10, 10], [[30, 10, 10, 10]]), groups=2)
    assert moved.by_simulation["deviation"].tolist() == [0.5]
    assert moved.places["wrong"].tolist() == [0, 1, 0, 0]
    assert deviation(np.array([1, 3]), np.array([[0, 1]]), 2).tolist() == [0.5]


# --- the overall range, presets, usual levels, budgets


def test_the_overall_range_is_the_largest_district_less_the_smallest():
    places = level([10, 20, 30, 40], [[10, 20, 30, 40], [40, 30, 20, 10]])
    found = decide("grouping", places, groups=2, limit=0.3)
    # True districts hold 60 and 40 of an ideal of 50. Reversed counts put the border after the
    # first area: 10 and 90.
    assert found.by_simulation["range"].tolist() == pytest.approx([0.4, 1.6])
    assert found.by_simulation["over"].tolist() == [1, 1]
    assert found.facts["exact"] == pytest.approx(0.4)


@pytest.mark.parametrize("preset", decisions.PRESETS.values(), ids=decisions.PRESETS)
def test_a_preset_is_a_question_that_its_rule_can_answer(preset):
    rule = get(preset.rule)
    places = level([600_000 + 1_000 * k for k in range(120)])
    values = rule.read(preset.parameters, places)
    assert all(values[name] == value for name, value in preset.parameters.items())
    assert not decide(preset.rule, places, **preset.parameters).places["wrong"].any()
    assert preset.source
    assert preset.about.endswith(".")


def test_a_preset_states_where_the_table_counts_something_else():
    fund = decisions.get_preset("relief-fund")
    assert fund.caveat(level="counties", unit="people") == ""
    assert "applied to households in counties" in fund.caveat(level="counties", unit="households")
    assert "in states" in fund.caveat(level="states", unit="people")
    top_coded = "people (size 15 or more counted as 15)"
    assert f"applied to {top_coded} in counties" in fund.caveat(level="counties", unit=top_coded)
    from_here = fund.caveat(level="states", unit="jobs in flows from the area")
    assert "applied to jobs in flows from the area, in states." in from_here


def test_a_preset_decides_about_the_level_that_is_closest_to_the_areas_of_its_law():
    levels = ("country", "state", "county", "municipality", "zone")
    city, vote = (decisions.get_preset(id) for id in ("cdbg-city", "one-person-one-vote"))
    assert city.level_in(levels) == "municipality"
    assert vote.level_in(levels) == "zone"
    assert vote.level_in(levels[:3]) == "county"
    with pytest.raises(ChoiceError, match='no preset "tax"'):
        decisions.get_preset("tax")


def test_presets_are_those_of_the_country_and_of_people():
    table = hdp.samples.load("us-population").table
    assert "italy-mayors" not in [p.id for p in decisions.presets_for(table)]
    assert decisions.get_preset("house").quantity_in(table) == "count"
    tiny = hdp.samples.load("running-example").table
    assert [p.id for p in decisions.presets_for(tiny) if p.levels == ("state",)] == ["house"]
    assert decisions.get_preset("house").quantity_in(tiny) == "members"


def test_seats_are_usually_for_the_lowest_level_that_has_few_enough():
    regions = hdp.samples.load("us-population").table.regions
    assert get("seats").usual_level(regions) == "state"
    assert get("threshold").usual_level(regions) == "county"


def test_more_areas_than_seats_are_apportioned_without_a_guaranteed_seat():
    many = decide("seats", level([5_000] * 500))
    assert (many.parameters["seats"], many.parameters["method"]) == (435, "dhondt")
    assert many.places["seats"].sum() == 435


def test_one_decision_at_several_budgets():
    data = hdp.samples.load("running-example")
    plans = [hdp.plan(data.table, "pgsr-h-dp", epsilon=e) for e in (0.1, 50)]
    rows = list(
        decisions.across_budgets(
            data.table,
            plans,
            "occupied",
            rule=get("threshold"),
            level="state",
            parameters={"limit": 3},
            n_simulations=20,
        )
    )
    assert [row["budget"] for row in rows] == ["ε = 0.1", "ε = 50"]
    assert rows[0]["affected"] > rows[1]["affected"] == 0
    assert rows[0]["low"] <= rows[0]["mean"] <= rows[0]["high"]
    assert rows[1]["worst"] == ""
