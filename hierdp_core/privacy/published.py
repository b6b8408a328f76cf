"""Privacy budgets that others have published, and what each of them protects."""

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
        what, who, year: its name, the organisation behind it, and its first year.
        protects: the privacy unit, such as "one person" or "one user’s day".
        period: what this budget covers, such as "whole release" or "day".
        model: where the noise is added: "central", or "local" on each person's device.
        epsilon, delta, rho: as published; None if not published. A budget in ρ has no ε.
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
        """The budget as published, such as "ρ = 2.63" or "ε = 4, δ = 10⁻⁷"."""
        if self.rho is not None:
            return f"ρ = {stated(self.rho)}"
        assert self.epsilon is not None
        return f"ε = {stated(self.epsilon)}" + (f", δ = {stated(self.delta)}" if self.delta else "")

    def gaussian_epsilon_at(self, delta: float) -> float | None:
        """Return ε at `delta` of Gaussian noise that spends ρ; None for a budget in ε.

        This assumes continuous noise and an undivided budget, so the actual ε of the release
        differs.
        """
        from hierdp_core.privacy.losses import gaussian_epsilon  # slow to load

        return None if self.rho is None else gaussian_epsilon(self.rho, delta)

    @property
    def like_a_release(self) -> bool:
        """Whether one budget covers a whole release, with noise added centrally."""
        return self.period == WHOLE_RELEASE and self.model == "central"

    def epsilon_at(self, delta: float) -> float:
        """Return ε as published; for a budget in ρ, its ε at `delta`.

        Source: Canonne, Kamath and Steinke 2020, Corollary 13.

        Raises:
            BudgetError: δ is needed, and does not lie strictly between 0 and 1.
        """
        if self.rho is not None:
            return epsilon_of_rho_tight(self.rho, delta=delta)
        assert self.epsilon is not None
        return self.epsilon


@cache
def deployments() -> tuple[Deployment, ...]:
    """Return the published budgets in the order of the data file."""

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
