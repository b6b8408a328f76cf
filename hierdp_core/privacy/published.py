"""Privacy budgets that others have published, with what each of them protects."""

from dataclasses import dataclass
from functools import cache

from hierdp_core.privacy import epsilon_of_rho_tight
from hierdp_core.privacy.rounding import stated
from hierdp_core.util.data_files import data_rows

SOURCE = "Figures: OpenDP deployments registry (MIT licence); as published, not checked by us"
WHOLE_RELEASE = "whole release"


@dataclass(frozen=True, kw_only=True)
class Deployment:
    """One release or service.

    Attributes:
        what, who, year: its name, who runs it, and since when.
        protects: what one record is: "one person", "one user’s day".
        period: over which time a person is protected with this budget: "whole release", "day".
        model: where the noise is added: "central", or "local" on each person's device.
        epsilon, delta, rho: as published; a budget in ρ has no ε.
    """

    what: str
    who: str
    year: int
    protects: str
    period: str
    model: str
    epsilon: float | None
    delta: float | None
    rho: float | None

    @property
    def budget(self) -> str:
        """As published: "ρ = 2.63", "ε = 4, δ = 10⁻⁷"."""
        if self.rho is not None:
            return f"ρ = {stated(self.rho)}"
        assert self.epsilon is not None
        return f"ε = {stated(self.epsilon)}" + (f", δ = {stated(self.delta)}" if self.delta else "")

    def exact_epsilon_at(self, delta: float) -> float | None:
        """ε at `delta` by the exact curve of Gaussian noise that spends ρ; None for a budget in ε.

        An estimate: how the noise was divided, and the whole numbers that it lives on, are left
        out.
        """
        from hierdp_core.privacy.losses import gaussian_epsilon  # slow to load

        return None if self.rho is None else gaussian_epsilon(self.rho, delta)

    @property
    def like_a_release(self) -> bool:
        """One budget for all that a whole release tells, with noise added once, in one place."""
        return self.period == WHOLE_RELEASE and self.model == "central"

    def epsilon_at(self, delta: float) -> float:
        """ε as published; from ρ by the tight conversion at `delta`.

        Raises:
            BudgetError: δ is not a probability.
        """
        if self.rho is not None:
            return epsilon_of_rho_tight(self.rho, delta=delta)
        assert self.epsilon is not None
        return self.epsilon


@cache
def deployments() -> tuple[Deployment, ...]:
    """All that we know of, those most like a statistical release first."""

    def number(text: str) -> float | None:
        return float(text) if text else None

    return tuple(
        Deployment(
            what=row["what"],
            who=row["who"],
            year=int(row["year"]),
            protects=row["protects"],
            period=row["period"],
            model=row["model"],
            epsilon=number(row["epsilon"]),
            delta=number(row["delta"]),
            rho=number(row["rho"]),
        )
        for row in data_rows("published_privacy.csv")
    )
