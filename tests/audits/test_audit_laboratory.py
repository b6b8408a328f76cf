"""The audit detects every planted mistake, accuses no mechanism of ours, states its limits."""

import math
import re
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import beta, norm
from support.neighbours import each_option
from support.planted import PLANTED, Right, RightThenClamped, one_person

import hierdp_core as hdp
from hierdp_core.audits import Pair, audit, audit_in_steps, checked_pair, laboratory, pairs_for
from hierdp_core.audits.claims import noise_claim_of
from hierdp_core.audits.gaussian import (
    GaussianClaim,
    contradicts,
    curve,
    most_likely,
    rho_at_least,
)
from hierdp_core.audits.intervals import at_least, at_most, epsilon_at_least, most_showable
from hierdp_core.audits.outcomes import Failure, Outcomes
from hierdp_core.exceptions import BudgetError, ChoiceError
from hierdp_core.mechanisms import MECHANISMS, Hay, InfTda, parse
from hierdp_core.noise import SeededNoise
from hierdp_core.privacy import Budget, GaussianEvent, Neighbours
from hierdp_core.simulation import plan
from hierdp_core.solvers.pooling import Pools
from hierdp_core.tables import Counts, Flows, GroupSizes, Pairs
from hierdp_core.util.parallel import Workers

# One audit accuses a correct mechanism at most so often. All tests together, the slow ones too,
# make fewer than a thousand audits. With new seeds, at most one run in a million has a false alarm.
CI = 1 - 1e-9
QUICK, THOROUGH, SOLVER = 2_000, 20_000, 20  # runs on each table
BUDGETS = ({"epsilon": 1}, {"rho": 0.5})
WITH_DELTA = {"epsilon": 1, "delta": 0.01}
PUBLISHED = "pgsr-c-chain: calibration=published"


def by_solver(id):
    """Return whether a mechanism calls generic solvers, which take seconds."""
    return MECHANISMS[id].largest_cells is not None


def nightly_where(names, slow):
    """Return the parameters of a test, some of them marked as nightly."""
    return [pytest.param(name, marks=[pytest.mark.nightly] * slow(name)) for name in names]


def runs_of(id, most):
    return SOLVER if by_solver(id) else most


def usual_kind(id):
    return MECHANISMS[id].kinds[0]


def pairs_of(id, options):
    return pairs_for(usual_kind(id), parse(id, options).neighbours)


def check(id, budget, options, pair, runs):
    """Run one audit; None if the mechanism does not accept such a budget."""
    try:
        plan(pair.before, parse(id, options), **budget)
    except (BudgetError, ChoiceError):
        return None
    found = audit(
        parse(id, options), budget=Budget.of(**budget), pair=pair, runs=runs, confidence=CI
    )
    # A published calibration claims too much; see below.
    assert found.claim.true_epsilon is not None or not found.leaks, found.sentences
    return found


@pytest.mark.slow
@pytest.mark.parametrize("id", nightly_where(MECHANISMS, by_solver))
def test_nothing_that_ships_is_accused(id):
    options = next(each_option(id, 2))
    runs, audited = runs_of(id, QUICK), 0
    for budget in BUDGETS if runs == QUICK else BUDGETS[:1]:
        found = check(id, budget, options, pairs_of(id, options)[0], runs)
        audited += found is not None
        if found is not None and runs == QUICK and found.claim.rho is None:
            # An audit that finds almost nothing proves almost nothing.
            seen = found.measured.with_person + 1, found.measured.without + 1
            assert abs(math.log(seen[0] / seen[1])) > 0.2 * found.claim.epsilon
    if not audited:
        assert check(id, WITH_DELTA, options, pairs_of(id, options)[0], runs) is not None


@pytest.mark.nightly
@pytest.mark.parametrize("id", MECHANISMS)
def test_nothing_that_ships_is_accused_with_any_option_or_on_any_pair(id):
    usual, *others = each_option(id, 2)
    cases = [(usual, pair) for pair in pairs_of(id, usual)]
    cases += [(options, pairs_of(id, options)[0]) for options in others]
    for options, pair in cases:
        for budget in BUDGETS:
            check(id, budget, options, pair, runs_of(id, QUICK // 2))


@pytest.mark.exhaustive
@pytest.mark.parametrize("id", MECHANISMS)
def test_nothing_that_ships_is_accused_with_any_option_on_any_pair(id):
    for options in each_option(id, 2):
        for pair in pairs_of(id, options):
            for budget in (*BUDGETS, WITH_DELTA):
                check(id, budget, options, pair, runs_of(id, THOROUGH))


@pytest.mark.parametrize("name", nightly_where(PLANTED, lambda name: PLANTED[name].runs > 4_000))
def test_planted_mistakes_are_caught(name, monkeypatch):
    planted = PLANTED[name]
    monkeypatch.setitem(MECHANISMS, planted.mechanism.id, planted.mechanism)
    found = audit(
        planted.mechanism.id,
        budget=Budget.of(**planted.budget),
        pair=planted.tables or None,
        runs=planted.runs,
        confidence=CI,
    )
    assert found.leaks, found.sentences
    assert "That is a leak" in found.sentences[1]


@pytest.mark.parametrize("mechanism", [Right, RightThenClamped])
@pytest.mark.parametrize("budget", [*BUDGETS, {"epsilon": 1, "delta": 1e-8}])
def test_what_is_right_is_not_accused(mechanism, budget, monkeypatch):
    monkeypatch.setitem(MECHANISMS, mechanism.id, mechanism)
    for tables in (one_person(3, 2), one_person(3, 0, more=1)):
        assert not audit(
            mechanism.id, budget=Budget.of(**budget), pair=tables, runs=QUICK, confidence=CI
        ).leaks


def test_the_published_chain_loses_more_than_it_claims():
    found = audit(PUBLISHED, epsilon=1, runs=8_000)
    assert found.leaks
    assert found.claim.epsilon == 1
    assert 1.1 < found.epsilon_lower <= found.claim.true_epsilon == 1.5
    first, second = found.sentences
    assert "ε is at least 1." in first
    assert "95% confidence" in first
    assert second.startswith("That is a leak: the privacy loss is larger than claimed.")
    assert second.endswith("The privacy statement agrees: with this noise, ε = 1.5.")


@pytest.mark.slow
def test_the_released_table_alone_shows_it_where_there_are_more_regions():
    (pair,) = [p for p in pairs_of("pgsr-c-chain", {}) if p.id == "one-of-many"]
    shown = audit(PUBLISHED, epsilon=1, pair=pair, runs=4_000)
    assert shown.released.leaks
    assert shown.claim.true_epsilon == 6.5
    assert not audit("pgsr-c-chain", epsilon=1, pair=pair, runs=QUICK, confidence=CI).leaks


@pytest.mark.slow
@pytest.mark.parametrize(
    ("budget", "runs"),
    [
        ({"rho": 0.5}, 4_000),
        pytest.param(
            {"epsilon": 1, "delta": 1e-8, "noise": "gaussian"}, 16_000, marks=pytest.mark.slow
        ),
    ],
)
def test_the_published_chain_is_shown_with_gaussian_noise_too(budget, runs):
    (pair,) = [p for p in pairs_of("pgsr-c-chain", {}) if p.id == "one-of-many"]
    found = audit(PUBLISHED, budget=Budget.of(**budget), pair=pair, runs=runs, confidence=CI)
    assert found.leaks
    assert found.measured.rho_lower > found.claim.rho
    assert any(p.delta_lower > p.delta_claimed for p in found.measured.points)
    assert "ρ is at least" in found.sentences[0]


@pytest.mark.slow
def test_the_same_seed_gives_the_same_result_with_any_workers():
    stated = []
    one, four = (
        audit("tree-dp", epsilon=1, runs=1_500, seed=5, workers=w, progress=p)
        for w, p in ((1, lambda *done: stated.append(done)), (4, None))
    )
    assert one.as_dict() == four.as_dict()
    assert stated == sorted(stated)
    assert stated[-1] == (1_500, 1_500)
    assert audit("tree-dp", epsilon=1, runs=1_500, seed=6).as_dict() != one.as_dict()


@pytest.mark.slow
def test_the_last_step_equals_the_audit():
    whole = audit("hay", epsilon=1, runs=2_000, seed=2)
    steps = list(audit_in_steps(Hay(), budget=Budget.of(epsilon=1), runs=2_000, seed=2, steps=4))
    assert [step.runs for step in steps] == [1_250, 1_500, 1_750, 2_000]
    assert steps[-1].as_dict() == whole.as_dict()
    assert all(step.event == whole.event for step in steps)


def test_a_cancelled_audit_keeps_what_was_counted():
    asked = []

    def cancel():
        asked.append(1)
        return len(asked) > 36  # the events of both worst cases are chosen by then

    found = audit("hay", epsilon=1, runs=4_000, workers=Workers(threads=1, cancel=cancel))
    assert 2_000 < found.runs < 4_000
    with pytest.raises(ChoiceError, match="cancelled before"):
        audit("hay", epsilon=1, runs=4_000, workers=Workers(cancel=lambda: True))


def test_the_message_on_too_few_runs_states_what_many_can_show():
    with pytest.raises(
        ChoiceError, match=r"at least 20 runs .* 20, 200 and 20,000 runs .* and 7\.8"
    ):
        audit("hay", epsilon=1, runs=3)
    few = audit("hay", epsilon=2, runs=20)
    assert few.showable < 2
    shows_nothing = "The outputs show no privacy loss (95% confidence)." in few.sentences[0]
    assert shows_nothing == (few.strongest.amount_lower == 0)
    assert few.sentences[1] == (
        f"With so few runs, an audit can show ε = {few.showable:.3g} at most, which is not above "
        "the claim. Increase the number of runs."
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"runs": 2.5}, "The number of runs is a whole number"),
        ({"runs": True}, "The number of runs is a whole number"),
        ({"runs": 10**8}, "The number of runs is a whole number up to 10,000,000"),
        ({"confidence": 1}, "between 0 and 1"),
        ({"confidence": 0}, "between 0 and 1"),
        ({"seed": -1}, "The seed must be a whole number"),
        ({"mechanism": "hay: speed=high"}, "has no option"),
    ],
)
def test_invalid_arguments_are_refused(words, message):
    with pytest.raises(ChoiceError, match=message):
        audit(**({"mechanism": "hay", "epsilon": 1} | words))


def test_other_mistakes_of_the_caller():
    with pytest.raises(ChoiceError, match="no mechanism"):
        audit("laplace", epsilon=1)
    with pytest.raises(BudgetError, match="State a budget"):
        audit("hay")
    with pytest.raises(ChoiceError, match="for group sizes; this table holds counts"):
        audit("pgsr-h-dp", epsilon=1, pair=one_person(1, 2))
    wide = one_person(*[1] * 2_500)
    with pytest.raises(ChoiceError, match="Use a smaller pair"):
        audit("hay", epsilon=1, pair=wide)


def sizes(leaves):
    tables = one_person(*[1] * len(leaves))
    return GroupSizes.from_leaves(tables[0].regions, leaves)


@pytest.mark.parametrize(
    ("before", "after", "fault"),
    [
        ([[1, 2, 0]], [[1, 2, 0]], "they are the same"),
        ([[1, 2, 0]], [[1, 3, 0]], "has 3 groups in one and 4"),
        ([[3, 0, 0]], [[2, 0, 1]], "differ by 2 people"),
        ([[3, 0, 0], [1, 0, 0]], [[2, 1, 0], [0, 1, 0]], "s0, s1 differ by 2 people"),
        ([[1, 2, 0]], [[1, 2]], "sizes up to 2, the other up to 1"),
    ],
)
def test_group_sizes_that_are_not_neighbours(before, after, fault):
    with pytest.raises(ChoiceError, match=fault):
        audit("pgsr-h-dp", epsilon=1, pair=(sizes(before), sizes(after)))


def test_counts_that_are_not_neighbours():
    before, after = one_person(3, 2)
    twice = Counts.from_leaves(before.regions, [5, 2])
    moved = Counts.from_leaves(before.regions, [2, 3])
    with pytest.raises(ChoiceError, match="adds 2 and removes 0"):
        checked_pair((before, twice), Neighbours.ADD_OR_REMOVE_ONE)
    with pytest.raises(ChoiceError, match="adds 1 and removes 1"):
        checked_pair((before, moved), Neighbours.ADD_OR_REMOVE_ONE)
    with pytest.raises(ChoiceError, match="removes 0 and adds 1"):
        checked_pair((before, after), Neighbours.REPLACE_ONE)
    with pytest.raises(ChoiceError, match="their areas differ"):
        checked_pair((before, one_person(3, 2, 1)[0]), Neighbours.ADD_OR_REMOVE_ONE)
    with pytest.raises(ChoiceError, match="one holds counts, the other group sizes"):
        checked_pair((before, sizes([[1, 2]])), Neighbours.ADD_OR_REMOVE_ONE)
    with pytest.raises(ChoiceError, match="A pair is two tables; got 3"):
        checked_pair((before, after, before), Neighbours.ADD_OR_REMOVE_ONE)
    assert checked_pair((after, before), Neighbours.ADD_OR_REMOVE_ONE).id == "given"
    assert checked_pair((before, moved), Neighbours.REPLACE_ONE).id == "given"


def test_flows_that_are_and_are_not_neighbours():
    regions = one_person(1, 1)[0].regions

    def flows(*trips):
        return Flows.from_pairs(regions, regions, [0, 0, 1], [0, 1, 0], list(trips))

    for after, most in ((flows(4, 2, 1), 1), (flows(4, 2, 2), 2)):
        checked_pair((flows(4, 2, 0), after), Neighbours.ADD_OR_REMOVE_ONE, trips=most)
    checked_pair((flows(4, 2, 0), flows(3, 2, 1)), Neighbours.REPLACE_ONE)
    with pytest.raises(ChoiceError, match=r"removes 2 and adds 2. Move just one record"):
        checked_pair((flows(4, 2, 0), flows(2, 2, 2)), Neighbours.REPLACE_ONE)
    with pytest.raises(ChoiceError, match=r"adds 3. Move up to 2 trips of one person"):
        checked_pair((flows(4, 2, 0), flows(1, 2, 3)), Neighbours.REPLACE_ONE, trips=2)
    with pytest.raises(ChoiceError, match=r"removes 0. Add up to 2 trips, and remove none"):
        checked_pair((flows(4, 2, 0), flows(4, 2, 3)), Neighbours.ADD_OR_REMOVE_ONE, trips=2)


@pytest.mark.slow
def test_trips_that_are_all_different_change_no_number_by_two():
    """There is less noise for different trips, so such a pair would accuse a correct mechanism."""
    regions = one_person(1, 1)[0].regions
    one, far, apart = (
        Flows.from_pairs(regions, regions, [0, 0, 1, 1], [0, 1, 0, 1], list(trips))
        for trips in ((4, 3, 0, 0), (4, 1, 2, 0), (3, 2, 1, 1))
    )
    two = {"trips": "2", "distinct": "yes"}
    with pytest.raises(ChoiceError, match="one number differs by more than 1"):
        audit(parse("vanilla-gauss", two), rho=0.5, pair=(one, far), runs=SOLVER)
    same = two | {"distinct": "no"}
    for options, after in ((same, far), (two, apart)):
        found = audit(
            parse("vanilla-gauss", options), rho=0.5, pair=(one, after), runs=QUICK, confidence=CI
        )
        assert not found.leaks


PRIVATE = {"totals": "private", "totals-share": "0.5"}


@pytest.mark.slow
@pytest.mark.parametrize("methods", ["hc", "hg", "naive"])
@pytest.mark.parametrize("after", [[[2, 2, 0]], [[1, 3, 0]]])
def test_with_private_totals_an_added_group_is_hidden(after, methods):
    pair = sizes([[1, 2, 0]]), sizes(after)
    options = PRIVATE | {"methods": methods}
    found = audit(parse("coc", options), epsilon=1, pair=pair, runs=QUICK, confidence=CI)
    assert not found.leaks
    assert found.failures == (0, 0)


@pytest.mark.parametrize("after", [[[1, 2, 1]], [[3, 2, 0]], [[2, 3, 0]]])
def test_at_most_one_empty_group_or_one_person_with_a_group_is_added(after):
    with pytest.raises(ChoiceError, match="one empty group"):
        audit(parse("coc", PRIVATE), epsilon=1, pair=(sizes([[1, 2, 0]]), sizes(after)))


@pytest.mark.parametrize("neighbours", Neighbours)
@pytest.mark.parametrize("kind", ["counts", "group-sizes", "flows"])
def test_supplied_pairs_are_neighbours(kind, neighbours):
    if (kind, neighbours) == ("group-sizes", Neighbours.REPLACE_ONE):
        with pytest.raises(ChoiceError, match="No pair of group-sizes tables is known"):
            pairs_for(kind, neighbours)
        return
    pairs = pairs_for(kind, neighbours)
    assert len({pair.id for pair in pairs}) == len(pairs)
    for pair in pairs:
        assert isinstance(checked_pair(pair, neighbours), Pair)
        assert pair.before.domain.kind == kind


@pytest.mark.parametrize(("hits", "runs"), [(0, 10), (3, 10), (10, 10), (499, 1000)])
def test_bounds_are_those_of_clopper_and_pearson(hits, runs):
    low = beta.ppf(0.025, hits, runs - hits + 1) if hits else 0
    high = beta.ppf(0.975, hits + 1, runs - hits) if hits < runs else 1
    assert math.isclose(at_least(hits, runs, alpha=0.025), low, rel_tol=1e-9)
    assert math.isclose(at_most(hits, runs, alpha=0.025), high, rel_tol=1e-9)


def test_epsilon_is_computed_after_subtracting_delta():
    assert epsilon_at_least(0.5, 0.25) == pytest.approx(math.log(2))
    assert epsilon_at_least(0.5, 0.25, delta=0.1) == pytest.approx(math.log(1.6))
    assert epsilon_at_least(0.2, 0.25) == 0
    assert most_showable(10_000, alpha=0.0125) > most_showable(100, alpha=0.0125)


def test_the_gaussian_curve_is_the_sum_over_whole_numbers():
    """One cell, σ = 2: δ(ε) by its definition, compared with the curve; rounding only adds."""
    claim = GaussianClaim(levels=((4.0, 1),))
    k = np.arange(-100, 101)
    here, there = (np.exp(-((k - shift) ** 2) / 8) for shift in (0, 1))
    here, there = here / here.sum(), there / there.sum()
    epsilons, deltas = curve(claim)
    exact = [np.maximum(here - math.exp(e) * there, 0).sum() for e in epsilons]
    assert (deltas >= np.array(exact) - 1e-12).all()
    np.testing.assert_allclose(deltas, exact, atol=2e-4)


def test_the_gaussian_curve_of_much_noise_is_the_continuous_one():
    claim = GaussianClaim(levels=((900.0, 1), (1800.0, 6)))
    mu = math.sqrt(2 * claim.rho)
    epsilons, deltas = curve(claim)
    exact = norm.cdf(mu / 2 - epsilons / mu) - np.exp(epsilons) * norm.cdf(-mu / 2 - epsilons / mu)
    np.testing.assert_allclose(deltas, exact, atol=1e-4)
    low, high = norm.sf(-mu / 2), norm.sf(mu / 2)
    assert rho_at_least(claim, low, high) == pytest.approx(claim.rho, rel=0.03)
    assert rho_at_least(claim, 0.5, 0.5) == 0
    assert not contradicts(claim, low - 1e-3, high)
    assert contradicts(claim, low + 5e-3, high)


def test_small_sigma_is_not_accused_where_the_continuous_formula_would():
    """σ = 1, compared with counts of such noise, in particular of the event X ≥ 1."""
    event = GaussianEvent(level=0, query="", l2_sensitivity_squared=1, sigma2=Fraction(1))
    drawn = SeededNoise(0).draw(event, (200_000,))
    claim = GaussianClaim(levels=((1.0, 1),))
    low = float(at_least((drawn >= 0).sum(), len(drawn), alpha=1e-9))
    high = float(at_most((drawn >= 1).sum(), len(drawn), alpha=1e-9))
    assert not contradicts(claim, low, high)
    assert contradicts(GaussianClaim(levels=((1.5, 1),)), low, high)


def test_outcomes_of_every_kind_form_one_table():
    outcomes = [
        np.array([1, 2]),
        np.array([3]),
        Failure(text="SolverError: no"),
        {"a": 1, "b": None},
        Pairs(origin=[0, 1], destination=[1, 0], values=[4, 5]),
        (Pools(mean=np.array([0.5, 2.0]), count=np.array([2, 1])), 7),
    ]
    table = Outcomes.of(outcomes)
    assert len(table) == len(outcomes)
    found = [
        {key: row[k] for k, key in enumerate(table.keys) if not np.isnan(row[k])}
        for row in table.numbers
    ]
    assert found[0] == {(0,): 1, (1,): 2}
    assert found[1] == {(0,): 3}
    assert found[2] == {("failure", "SolverError: no"): 1}
    assert found[3][("a",)] == 1
    assert found[4] == {("flow", 0, 1): 4, ("flow", 1, 0): 5}
    assert [found[5][(0, k)] for k in range(3)] == [0.5, 0.5, 2]
    assert table.present.sum() == sum(map(len, found))
    again = Outcomes.of([np.array([8, 9])], table.keys)
    assert again.keys == table.keys
    assert again.numbers[0, :2].tolist() == [8, 9]


def test_last_binary_places():
    table = Outcomes.of([np.array([0.0, 1.0, 12.0, 0.75, -0.5, 2.0**-60])])
    assert table.places[0].tolist() == [2000, 0, 2, -2, -1, -60]


def test_a_release_of_an_audit_reads_as_json_takes_it():
    found = hdp.audit("tree-dp", rho=0.5, runs=400)
    stated = found.as_dict()
    wanted = {"claim", "epsilon_lower", "confidence", "runs", "event"}
    assert wanted <= stated.keys()
    assert stated["event"] in (found.released.event, found.measured.event)
    assert stated["measured"]["points"]
    assert replace(found, seed=9).as_dict() != stated


def test_the_error_probability_is_shared_by_all_bounds_of_all_pairs():
    found = audit("tree-dp", epsilon=1, runs=400)
    bounds = 4 * len(found.by_pair)  # two views of a pair, with two bounds each
    assert len(found.by_pair) > 1
    for finding in (
        finding for pair in found.by_pair for finding in (pair.released, pair.measured)
    ):
        lows = {
            float(at_least(hits, finding.runs, alpha=0.05 / bounds))
            for hits in (finding.with_person, finding.without)
        }
        assert any(finding.low == pytest.approx(low, rel=1e-9) for low in lows)


@pytest.mark.slow
def test_the_lower_bound_on_epsilon_of_gaussian_noise_is_no_conversion_of_rho():
    found = audit("inftda", budget=Budget.approximate(1, "0.05", noise="gaussian"), runs=6_000)
    assert not found.leaks
    assert 0 < found.epsilon_lower <= 1
    finding = found.strongest
    assert finding.epsilon_lower == pytest.approx(
        float(epsilon_at_least(finding.low, finding.high, delta=0.05))
    )
    assert found.symbol == "ρ"
    assert finding.amount_lower == finding.rho_lower <= found.claim.amount


@pytest.mark.parametrize(
    ("budget", "claim"),
    [
        (
            Budget.approximate(1, "1e-6", noise="gaussian"),
            "The claim is ε = 1, δ = 10⁻⁶, with noise",
        ),
        (Budget.approximate(1, "1e-6", noise="geometric"), "The claim is ε = 1, δ = 10⁻⁶."),
        (Budget.zcdp("0.5"), "The claim is ρ = 0.5."),
    ],
)
def test_a_claim_is_stated_in_the_unit_that_is_measured(budget: Budget, claim: str) -> None:
    result = audit("tree-dp", budget=budget, runs=SOLVER)
    sentence = result.sentences[0]
    assert claim in sentence
    assert f"{result.symbol} = " in sentence.split("The claim is")[1]


def test_the_statement_on_a_published_leak_names_its_delta() -> None:
    budget = Budget.approximate(2, "1e-6", noise="geometric")
    made = audit(PUBLISHED, budget=budget, runs=QUICK)
    assert made.leaks
    assert made.sentences[1].endswith("with this noise, ε = 3, δ = 10⁻⁶.")


@pytest.mark.parametrize(("part", "leaks"), [(0.999, True), (1.001, False)])
@pytest.mark.slow
def test_a_leak_is_any_loss_above_the_claim(monkeypatch, part, leaks):
    measured = audit("tree-dp", epsilon=1, runs=QUICK, confidence=CI)
    claim = replace(measured.claim, epsilon=part * measured.epsilon_lower)
    monkeypatch.setattr(laboratory, "claim_of", lambda _: claim)
    again = audit("tree-dp", epsilon=1, runs=QUICK, confidence=CI)
    assert again.epsilon_lower == measured.epsilon_lower > 0
    assert again.leaks is leaks


def test_a_failure_between_questions_is_an_outcome_and_shows_no_exact_table(monkeypatch):
    def failing(*_):
        raise FloatingPointError

    monkeypatch.setattr(InfTda, "fit_families", failing)
    found = audit("inftda", rho=1, runs=QUICK // 10)
    assert found.always_fails
    assert not found.leaks


def test_the_divergence_of_every_order_limits_a_probability_too():
    claim = GaussianClaim(levels=((1.0, 2),))
    high = 0.5012
    allowed = most_likely(claim.rho, high)
    assert not contradicts(claim, allowed - 1e-6, high)
    assert contradicts(claim, allowed + 1e-6, high)


def test_a_fact_beside_the_counts_that_depends_on_a_person_is_a_leak(monkeypatch):
    """The mark of top-coding is released too; here it tells the exact size of a household."""
    (pair,) = parse("coc").worst_neighbours(Budget.pure(1))
    largest = {id(one): one.values[0] for one in (pair.before, pair.after)}
    before, blank = largest[id(pair.before)], type(pair.before).blank
    monkeypatch.setattr(
        type(pair.before),
        "blank",
        lambda table: replace(
            blank(table), top_coded=not np.array_equal(largest.get(id(table)), before)
        ),
    )
    found = audit("coc", epsilon="0.1", pair=pair, runs=QUICK)
    assert found.released.leaks
    assert not found.measured.leaks


def test_what_was_measured_is_shown_rounded_down():
    found = audit("tree-dp", epsilon=3, runs=QUICK, seed=2)
    (shown,) = re.findall("ε is at least ([0-9.]+)", " ".join(found.sentences))
    exact = found.strongest.amount_lower
    assert len(repr(exact)) > len(shown)
    assert exact - 0.01 < float(shown) <= exact


@pytest.mark.parametrize(("calibration", "squared"), [("published", [1, 1]), ("true", [1, 2])])
def test_a_published_calibration_is_held_to_the_sensitivity_that_it_claims(calibration, squared):
    mechanism = parse("pgsr-c-chain", {"calibration": calibration})
    (pair,) = mechanism.worst_neighbours(Budget.zcdp(1))
    claim = noise_claim_of(plan(pair.before, mechanism, budget=Budget.zcdp(1)))
    assert [distance for _, distance in claim.levels] == squared
    assert claim.rho == pytest.approx(1)
