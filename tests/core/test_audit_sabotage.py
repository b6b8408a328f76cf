"""Mechanisms that ship, each sabotaged in one way: an audit of its own worst cases finds it.

No pair is given: what is tested is that the worst cases which a mechanism supplies reach all of
its noise, and all that it hands out. `Sabotage` says for how many runs, and with which options.
"""

import math
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np
import pytest
from neighbours import every_option, option_words
from watching import watched

from hierdp_core.audit import audit, checked_pair, pairs_of, worst_pairs
from hierdp_core.exceptions import BudgetError, ChoiceError
from hierdp_core.mechanisms import MECHANISMS, Mechanism, private_totals, size_cap
from hierdp_core.mechanisms.top_down import Records, trips_of
from hierdp_core.noise import SeededNoise
from hierdp_core.privacy import Budget, GaussianEvent, Sensitivity, ThresholdEvent
from hierdp_core.release import plan
from hierdp_core.tables import Pairs

# As in test_audit_laboratory.py: hardly ever is one of a thousand audits wrong by chance.
CI = 1 - 1e-9
COC, INFTDA = MECHANISMS["coc"], MECHANISMS["inftda"]
HISTOGRAM, HAY = MECHANISMS["stability-histogram"], MECHANISMS["hay"]


@dataclass(frozen=True)
class Changed:
    """A noise source whose noise is changed on its way."""

    noise: object
    change: object

    def draw(self, event, shape):
        return self.change(self.noise, event, shape)


def scaled(factor):
    """Noise of so many times the scale."""

    def draw(noise, event, shape):
        if isinstance(event, GaussianEvent):
            return noise.draw(replace(event, sigma2=event.sigma2 * factor**2), shape)
        return noise.draw(replace(event, scale=event.scale * factor), shape)

    return draw


class ThirdOfTheNoise(INFTDA):
    id = "third-of-the-noise"

    def measure(self, values, plan, noise):
        return super().measure(values, plan, Changed(noise, scaled(Fraction(1, 3))))


def without_noise_on(query):
    """No noise on what is beside the levels and called so."""

    def draw(noise, event, shape):
        drawn = noise.draw(event, shape)
        return 0 * drawn if event.level is None and query in event.query else drawn

    return draw


class ExactTotals(COC):
    id = "exact-totals"

    def measure(self, values, plan, noise):
        return super().measure(values, plan, Changed(noise, without_noise_on("the number of")))


class ExactCap(COC):
    id = "exact-cap"

    def measure(self, values, plan, noise):
        return super().measure(values, plan, Changed(noise, without_noise_on(size_cap.QUERY)))


class KeptByTruth(HISTOGRAM):
    """Mutant D: the flow itself decides what is released, not the noisy one."""

    id = "kept-by-truth"

    def measure(self, values, plan, noise):
        (event,) = plan.events
        noisy = values.values + noise.draw(event, values.values.shape)
        kept = values.values >= event.threshold
        return Pairs(
            origin=values.origin[kept], destination=values.destination[kept], values=noisy[kept]
        )


class TenthOfTheNoise(HISTOGRAM):
    """Mutant E."""

    id = "tenth-of-the-noise"

    def measure(self, values, plan, noise):
        def tenth(noise, event, shape):
            return noise.draw(event, shape) // 10

        return super().measure(values, plan, Changed(noise, tenth))


class NoThreshold(HISTOGRAM):
    """Every flow that is there is released, whatever its noise."""

    id = "no-threshold"

    def measure(self, values, plan, noise):
        noisy = values.values + noise.draw(plan.events[0], values.values.shape)
        return Pairs(origin=values.origin, destination=values.destination, values=noisy)


class TwoTripsAtMost(INFTDA):
    """Mutant C: three trips or more cost as two."""

    id = "two-trips-at-most"

    def sensitivities(self, domain, options):
        m = min(trips_of(options, self.id), 2)
        return super().sensitivities(domain, {**options, "trips": str(m)})


class LeavesAsOneTrip(INFTDA):
    """Mutant F: where all trips are different the last level costs as one trip."""

    id = "leaves-as-one-trip"

    def sensitivities(self, domain, options):
        *above, _ = super().sensitivities(domain, options)
        return (*above, super().sensitivities(domain, {**options, "trips": "1"})[-1])


class RootOfTrips(INFTDA):
    """Mutant G: √(2m) on every level, as [C] prints it, though trips may be repeated."""

    id = "root-of-trips"

    def sensitivities(self, domain, options):
        ways, m = (2 if options["neighbours"] == "bounded" else 1), trips_of(options, self.id)
        found = super().sensitivities(domain, options)
        few = Sensitivity(l1=ways * m, l2_squared=ways * m)
        return tuple(few if level.l1 else level for level in found)


def cut(mechanism):
    """Mutant A: noisy measurements are cut at a limit that the exact ones set."""

    class Cut(mechanism):
        id = f"{mechanism.id}-cut"

        def measure(self, values, plan, noise):
            noisy = super().measure(values, plan, noise)
            return np.minimum(noisy, 10 + 2 * self.answer(values, plan.domain.tree).max())

    return Cut


class ZerosPutBack(HAY):
    """Mutant B: what was 0 is 0 again when the released table is made."""

    id = "zeros-put-back"

    def measure(self, values, plan, noise):
        self.empty = values == 0
        return super().measure(values, plan, noise)

    def released(self, table, values, plan):
        return super().released(table, np.where(self.empty, 0, values), plan)


@dataclass(frozen=True)
class Sabotage:
    """A mistake, and how it is audited; `runs` are enough at 1 − 10⁻⁹ confidence."""

    mechanism: type[Mechanism]
    options: dict = field(default_factory=dict)
    budget: dict = field(default_factory=lambda: {"epsilon": 1})
    runs: int = 4_000


RHO, WITH_DELTA = {"rho": 0.5}, {"epsilon": 1, "delta": 1e-8}
UNBOUNDED = {"neighbours": "unbounded"}
NOISY_CAP = {"cap": "noisy", "cap-epsilon": "0.5"}
SABOTAGES = {
    "a: third of the noise, 3 trips": Sabotage(ThirdOfTheNoise, {"trips": "3"}, runs=2_000),
    "a: the same, ρ": Sabotage(ThirdOfTheNoise, {"trips": "3"}, RHO, runs=1_000),
    "a: the same, unbounded": Sabotage(ThirdOfTheNoise, {"trips": "3"} | UNBOUNDED, runs=2_000),
    "b: exact totals": Sabotage(ExactTotals, {"totals": "private"}, runs=400),
    "b: the same, ρ": Sabotage(ExactTotals, {"totals": "private"}, RHO, runs=400),
    "b: the same, hg": Sabotage(ExactTotals, {"totals": "private", "methods": "hg"}, runs=400),
    "c: exact largest size": Sabotage(ExactCap, NOISY_CAP, runs=400),
    "c: the same, ρ": Sabotage(ExactCap, NOISY_CAP, RHO, runs=400),
    "c: the same, private totals": Sabotage(ExactCap, NOISY_CAP | {"totals": "private"}, runs=400),
    "d: kept by the exact flow": Sabotage(KeptByTruth, {}, WITH_DELTA, runs=400),
    "d: the same, unbounded": Sabotage(KeptByTruth, UNBOUNDED, WITH_DELTA, runs=400),
    "d: the same, 3 trips": Sabotage(KeptByTruth, {"trips": "3"}, WITH_DELTA, runs=400),
    "d: the same, 3 different trips": Sabotage(
        KeptByTruth, {"trips": "3", "distinct": "yes"}, WITH_DELTA, runs=400
    ),
    "E: tenth of the noise": Sabotage(TenthOfTheNoise, {}, WITH_DELTA, runs=400),
    "E: the same, unbounded": Sabotage(TenthOfTheNoise, UNBOUNDED, WITH_DELTA, runs=400),
    "no threshold": Sabotage(NoThreshold, {}, WITH_DELTA, runs=400),
    "no threshold, unbounded": Sabotage(NoThreshold, UNBOUNDED, WITH_DELTA, runs=400),
    "C: three trips as two": Sabotage(TwoTripsAtMost, {"trips": "3"}, runs=8_000),
    "C: six trips as two, ρ": Sabotage(TwoTripsAtMost, {"trips": "6"}, RHO, runs=1_000),
    "F: leaves as one trip, ρ": Sabotage(
        LeavesAsOneTrip, {"trips": "3", "distinct": "yes"}, RHO, runs=4_000
    ),
    "F: the same, unbounded": Sabotage(
        LeavesAsOneTrip, {"trips": "3", "distinct": "yes"} | UNBOUNDED, RHO, runs=4_000
    ),
    "G: √(2m), ρ": Sabotage(RootOfTrips, {"trips": "3"}, RHO, runs=2_000),
    "A: cut, hay": Sabotage(cut(HAY), runs=20_000),
    "A: cut, pgsr-h-dp": Sabotage(cut(MECHANISMS["pgsr-h-dp"]), runs=8_000),
    "B: zeros put back": Sabotage(ZerosPutBack, runs=400),
}


@pytest.mark.parametrize("name", SABOTAGES)
def test_an_audit_of_the_worst_cases_finds_the_sabotage(name, monkeypatch):
    case = SABOTAGES[name]
    monkeypatch.setitem(MECHANISMS, case.mechanism.id, case.mechanism)
    found = audit(
        case.mechanism.id, **case.budget, options=case.options, runs=case.runs, confidence=CI
    )
    assert found.leaks, found.sentences
    assert found.failures == (0, 0)
