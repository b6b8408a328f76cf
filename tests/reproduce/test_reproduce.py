import numpy as np
import pytest
from support.strategies import binary_places, lomax_flows, regions_of

from hierdp_core.exceptions import ChoiceError
from hierdp_core.hierarchy import Hierarchy
from hierdp_core.mechanisms import recommended
from hierdp_core.reproduce import (
    experiment,
    reproduce_accounting,
    reproduce_coc,
    reproduce_flows,
    reproduce_pgsr,
    reproduce_recommendations,
)
from hierdp_core.tables import Counts, GroupSizes, require_exact

TREE = Hierarchy(parent=np.array([-1, 0, 0, 1, 1, 2]), level_start=np.array([0, 1, 3, 6]))
TABLE = GroupSizes.from_leaves(
    regions_of(TREE), [[0, 900, 400, 90, 0, 5], [0, 500, 100, 20, 1, 0], [0, 80, 20, 1, 0, 0]]
)


def load(sample):
    return TABLE


def test_the_table_of_the_paper_stands_beside_ours():
    shown = []
    frame = reproduce_pgsr(
        load,
        epsilons=(0.5, 1),
        n_simulations=3,
        progress=lambda done, total: shown.append((done, total)),
    )
    assert shown[-1] == (2 * 8 * 3, 2 * 8 * 3)
    at_one = frame[frame["epsilon"] == 1].set_index(["mechanism", "calibration"])
    assert at_one.loc[("pgsr-h-dp", ""), "paper_l1_3"] == 128.8
    assert at_one.loc[("pgsr-h-relaxed", ""), "paper_violations"] == 1989
    assert np.isnan(at_one.loc[("pgsr-c-opt", ""), "paper_l1_1"])
    # Levels of 1, 2 and 3 regions: a third of ε each, times the regions of the level.
    assert at_one.loc[("pgsr-c-chain", "published"), "true_epsilon"] == pytest.approx(2)
    assert at_one.loc[("pgsr-c-chain", "true"), "true_epsilon"] == 1
    exact = at_one.drop(index=[("pgsr-h-relaxed", ""), ("pgsr-c-relaxed", "")])
    assert (exact["violations"] == 0).all()
    assert (frame[[f"l1_{k}" for k in (1, 2, 3)]] >= 0).all(axis=None)
    printed = experiment("pgsr").as_markdown(frame)
    assert printed.count("| pgsr-c-opt | 1 |") == 1
    assert "the claimed ε does not hold" in printed
    assert printed.count("| pgsr-c-chain, calibration=published¹ |") == 2
    noted = frame[frame["note"] != ""]
    assert set(noted["calibration"]) == {"published"}
    assert noted["note"].iloc[0] in printed


def test_cancel_keeps_the_rows_that_are_done():
    calls = []
    frame = reproduce_pgsr(
        load, epsilons=(1,), n_simulations=1, cancel=lambda: len(calls) >= 2 or calls.append(1)
    )
    assert len(frame) == 2


def test_what_cannot_be_reproduced_is_reported():
    with pytest.raises(ChoiceError, match=r'no experiment "census"\. Choose pgsr'):
        experiment("census")
    with pytest.raises(ChoiceError, match="At least one simulation"):
        reproduce_pgsr(load, n_simulations=0)
    with pytest.raises(ChoiceError, match="At least one simulation"):
        reproduce_coc(load, n_simulations=0)


def test_the_upper_levels_are_an_exact_table():
    upper = TABLE.upper_levels(2)
    require_exact(upper)
    assert upper.values.tolist() == TABLE.values[:3].tolist()


def test_the_comparisons_of_count_of_counts():
    frame = reproduce_coc(load, epsilons=(0.5,), n_simulations=2)
    assert set(frame["comparison"].str.split(",").str[0]) == {
        "bottom-up against all levels",
        "weighted against mean",
        "hg against hc",
    }
    # 2 samples: 2 mechanisms on 3 levels; 2 merges on 2 levels; 2 methods on 2 and on 3 levels.
    assert len(frame) == 2 * (2 * 3 + 2 * 2 + 2 * 2 + 2 * 3)
    leaves = frame[(frame["mechanism"] == "coc-bottom-up") & (frame["level"] == "state")]
    assert leaves["paper"].tolist() == [24.9, 772.8]
    root = frame[(frame["comparison"] == "hg against hc") & (frame["level"] == "nation")].iloc[0]
    assert root["omniscient"] == pytest.approx(5 * np.sqrt(2) / 0.5)
    assert (frame["emd"] >= 0).all()
    printed = experiment("coc").as_markdown(frame)
    assert printed.count("| coc methods=hg |") == 2 * (2 + 3)
    # Wherever a figure of the paper stands, the text states that its noise is not independent.
    assert ((frame["note"] != "") == frame["paper"].notna()).all()
    assert "24.9¹ |" in printed
    assert "starts the noise of every area from the same seed" in printed
    assert "572" in frame["note"].max()


def test_flows_stand_beside_the_paper_with_both_splits():
    places, shown = binary_places(2), []
    frame = reproduce_flows(
        lambda sample: lomax_flows(places, 0.4, 0),
        epsilons=(1,),
        n_simulations=3,
        progress=lambda done, total: shown.append((done, total)),
    )
    # Six cases on six samples; the generic solver, two draws, with both splits on two.
    assert shown[-1] == (3 * 6 * 6 + 2 * 4, 3 * 6 * 6 + 2 * 4)
    assert frame.groupby("mechanism")["simulations"].first()["tda-linf"] == 2
    leaves = frame[frame["level"] == "level 2 → level 2"]
    keys = ["sample", "mechanism", "split"]
    at = leaves.set_index(keys)
    assert at.loc[("od-random-sparse", "inftda", "reference"), "paper_max_abs"] == 115
    assert at.loc[("od-random-sparse", "inftda", "reference"), "paper_fdr"] == 0.84
    assert np.isnan(at.loc[("od-random-sparse", "inftda", "paper"), "paper_max_abs"])
    assert at.loc[("od-binary-complete", "inftda", "paper"), "paper_max_abs"] == 94
    assert (at.xs("reference", level="split")["true_epsilon"] < 0.75).all()
    assert (at.xs("paper", level="split")["true_epsilon"] == 1).all()
    assert at["bound"].isna().sum() == 12  # least squares has no proof
    assert not at.xs("stability-histogram", level="mechanism")["fdr"].any()
    printed = experiment("flows").as_markdown(frame)
    assert printed.count("| od-binary-sparse | tda-linf, split=paper |") == 1
    assert "| od-binary-dense | tda-linf" not in printed
    assert "| od-binary-sparse | inftda, split=reference¹ |" in printed
    assert ((frame["note"] != "") == (frame["split"] == "reference")).all()
    assert "spends only half of its ρ" in printed
    with pytest.raises(ChoiceError, match="At least one simulation"):
        reproduce_flows(load, n_simulations=0)


COUNTS = Counts.from_leaves(regions_of(TREE), [900, 80, 7])
FLOWS = lomax_flows(binary_places(2), 0.4, 0)


def load_any_kind(sample):
    return {"us-population": COUNTS, "us-households": TABLE}.get(sample, FLOWS)


def test_every_account_stands_beside_that_of_the_papers():
    shown = []
    frame = reproduce_accounting(
        load_any_kind,
        epsilons=(1,),
        n_simulations=2,
        progress=lambda done, total: shown.append(total),
    )
    assert shown == [2 * 5 * 4] * (2 * 5 * 4)
    leaves = frame.groupby(["sample", "mechanism", "accounting", "noise_option"], sort=False).last()
    variance = leaves["variance_ratio"].unstack(["accounting", "noise_option"])
    assert len(variance) == 5
    assert (variance["simple", "gaussian"] == 1).all()
    assert (variance["zcdp", "gaussian"] < 1).all()
    assert (variance["tight", "gaussian"] < variance["zcdp", "gaussian"]).all()
    assert (variance["tight", "best"] <= variance["tight", "gaussian"]).all()
    assert set(leaves.xs("gaussian", level="noise_option")["noise"]) == {"Gaussian"}
    # A public total has no error by any account, so none is a multiple of another.
    roots = frame[(frame["mechanism"] == "inftda") & (frame["level"] == "all → all")]
    assert len(roots) == 2 * 4
    assert roots["mean_ratio"].isna().all()
    printed = experiment("accounting").as_markdown(frame)
    assert printed.count("| us-population | tree-dp | 1 | tight, best |") == 1
    assert printed.count("| simple | Gaussian | 1.00 |") == 5


def test_accounts_that_are_cancelled_keep_what_is_done():
    calls = []
    frame = reproduce_accounting(
        load_any_kind,
        epsilons=(1,),
        n_simulations=1,
        cancel=lambda: len(calls) >= 1 or calls.append(1),
    )
    assert frame["accounting"].unique().tolist() == ["simple"]
    assert (frame["variance_ratio"] == 1).all()
    assert reproduce_accounting(load_any_kind, cancel=lambda: True).empty
    with pytest.raises(ChoiceError, match="At least one simulation"):
        reproduce_accounting(load_any_kind, n_simulations=0)


def test_recommended_mechanisms_stand_among_all_that_could_be():
    frame = reproduce_recommendations(load_any_kind, epsilons=(2,), n_simulations=2)
    assert frame["sample"].nunique() == 4
    for kind, rows in frame.groupby("kind"):
        assert rows.loc[rows["recommended"], "mechanism"].unique().tolist() == [recommended(kind)]
        assert rows["mechanism"].nunique() > 1
    # Neither consistent nor non-negative; groups by region public; a solver; ε without δ refused.
    left_out = {"hay", "pgsr-h-relaxed", "coc", "pgsr-h", "tda-linf", "stability-histogram"}
    assert not left_out & set(frame["mechanism"])
    best = frame.groupby(["sample", "level"])["ratio"].min().dropna()
    assert (best == 1).all()
    one = frame[frame["sample"] == "us-population"]
    by_hand = one.groupby("mechanism")["ratio"].agg(lambda r: np.exp(np.log(r).mean()))
    assert one.groupby("mechanism")["score"].first().to_dict() == pytest.approx(by_hand.to_dict())
    printed = experiment("recommendations").as_markdown(frame)
    assert printed.count("*") == 1 + 4  # the sentence, and one a table
    with pytest.raises(ChoiceError, match="At least one simulation"):
        reproduce_recommendations(load_any_kind, n_simulations=0)
    assert reproduce_recommendations(load_any_kind, cancel=lambda: True).empty
