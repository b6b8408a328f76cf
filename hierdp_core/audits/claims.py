"""The privacy that a plan claims, as numbers that outputs can be compared with."""

from hierdp_core.audits.gaussian import GaussianClaim
from hierdp_core.audits.result import Claim
from hierdp_core.mechanisms.base import Plan
from hierdp_core.privacy import GaussianEvent, GeometricEvent, Sensitivity, epsilon_of_rho
from hierdp_core.privacy.rounding import upper

RHO_DELTA = 1e-6  # δ at which a budget in ρ is shown as ε


def claim_of(plan: Plan) -> Claim:
    """Return the claim of a plan: its budget, or the cost in its privacy statement if that is less.

    A published calibration may claim its budget although its noise costs more. `true_epsilon` is
    then the ε in the plan's privacy statement.
    """
    privacy, budget = plan.privacy, plan.budget
    spends_less = not privacy.claimed and plan.mechanism.states_what_is_spent(plan.domain)
    rho = None if noise_claim_of(plan) is None else float(plan.spending.budget.spendable_rho or 0)
    if rho is not None and spends_less:
        rho = float(privacy.rho or 0)
    words = budget.words
    if budget.kind == "zcdp":
        assert budget.rho is not None
        spent = rho if rho is not None else float(budget.rho)
        epsilon, delta = epsilon_of_rho(spent, delta=RHO_DELTA), RHO_DELTA
        if spends_less:
            words = f"ρ = {upper(spent, 6)}"
    else:
        epsilon, delta = float(budget.epsilon or 0), float(budget.delta or 0)
        if spends_less:
            epsilon = float(privacy.epsilon or 0)
            words = words.replace(words.split(",")[0], f"ε = {upper(epsilon, 6)}", 1)
    true = privacy.epsilon if privacy.claimed else None
    return Claim(epsilon=epsilon, delta=delta, rho=rho, words=words, true_epsilon=true)


def noise_claim_of(plan: Plan) -> GaussianClaim | None:
    """Return the noise of a plan with Gaussian noise, and the sensitivities it claims to cover.

    None if ε is claimed directly: no noise is Gaussian, or an event has a threshold.
    """
    gaussian = [event for event in plan.events if isinstance(event, GaussianEvent)]
    geometric = [event for event in plan.events if isinstance(event, GeometricEvent)]
    if not gaussian or len(gaussian) + len(geometric) < len(plan.events):
        return None
    covered = [_covered(plan, event) for event in gaussian]
    return GaussianClaim(
        levels=tuple(
            (float(e.sigma2), s.l2_squared) for e, s in zip(gaussian, covered, strict=True)
        ),
        l1=tuple(sensitivity.l1 for sensitivity in covered),
        shapes=tuple(sensitivity.shapes for sensitivity in covered),
        geometric=tuple((float(event.scale), event.l1_sensitivity) for event in geometric),
    )


def _covered(plan: Plan, event: GaussianEvent) -> Sensitivity:
    """Return the sensitivity that the plan claims for an event."""
    squared = event.l2_sensitivity_squared
    # An integer is never larger than its square, so neither is the sum of several.
    if event.level is None:
        return Sensitivity(l1=squared, l2_squared=squared, shapes=event.shapes)
    published = plan.mechanism.published_sensitivities(plan.domain)
    if plan.privacy.claimed and published is not None:
        # A published calibration may claim less than the most by which a record changes the event.
        return published[event.level]
    l1 = plan.mechanism.sensitivities(plan.domain)[event.level].l1
    return Sensitivity(l1=min(l1, squared), l2_squared=squared, shapes=event.shapes)
