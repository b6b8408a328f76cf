"""Noise and post-processing apart: every stage keeps what it states, and no cell is missing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.simulations import simulated
from support.strategies import counts_tables, group_size_tables

import hierdp_core as hdp
from hierdp_core.exceptions import ChoiceError
from hierdp_core.explain.stages import STAGES, stages_of, walk
from hierdp_core.hierarchy import child_sums


def released(table, seed=0, epsilon=0.5, **options):
    mechanism = "tree-dp" if table.kind == "counts" else "pgsr-h-dp"
    return simulated(table, mechanism, epsilon=epsilon, seed=seed, **options)


def adds_up(tree, values):
    return all(
        np.allclose(child_sums(tree, values, k), values[tree.level(k)], atol=1e-4)
        for k in range(tree.n_levels - 1)
    )


@given(table=counts_tables() | group_size_tables(), seed=st.integers(0, 2**20))
def test_each_stage_keeps_what_the_one_before_established(table, seed):
    simulation = released(table, seed)
    stages = stages_of(simulation)
    assert tuple(stages) == STAGES
    assert stages["noisy"] is simulation.noisy
    for stage in ("consistent", "not negative", "whole"):
        assert stages[stage].shape == table.values.shape
        assert adds_up(table.tree, stages[stage])
    assert stages["not negative"].min() >= 0
    assert stages["whole"] is simulation.table.values
    if table.kind == "group-sizes":
        assert stages["not negative"][0].sum() == pytest.approx(table.values[0].sum())


@given(table=counts_tables(), seed=st.integers(0, 2**20))
def test_where_nothing_falls_below_zero_the_first_two_stages_are_the_same(table, seed):
    stages = stages_of(released(table, seed, epsilon=5))
    if stages["consistent"].min() >= 0:
        assert np.allclose(stages["consistent"], stages["not negative"], atol=1e-4)


@given(table=counts_tables() | group_size_tables())
def test_no_cell_is_dropped_and_zeros_stand_apart(table):
    walked = walk(table, [released(table)])
    leaves = table.values[table.tree.leaves].ravel()
    for stage in STAGES:
        rows = walked.bias[walked.bias["stage"] == stage]
        assert rows["cells"].sum() == leaves.size
        zeros = rows.loc[rows["most"] == 0, "cells"].sum()
        assert zeros == (leaves == 0).sum()
        assert (rows["least"].to_numpy()[1:] > rows["most"].to_numpy()[:-1]).all()
    cells = walked.errors.groupby("level")["cells"].first()
    levels = table.regions.levels
    assert [cells[k] for k in levels] == [
        table.values[table.tree.level(i)].size for i in range(len(levels))
    ]


def test_bias_and_errors_are_means_over_simulations():
    table = hdp.samples.load("running-example").table
    simulations = [released(table, seed) for seed in range(3)]
    walked = walk(table, simulations, column=1)
    off = [d.table.values[1:, 1] - table.values[1:, 1] for d in simulations]
    row = walked.errors.query("stage == 'whole' and level == 'state'").iloc[0]
    assert row["bias"] == pytest.approx(np.mean(off))
    assert row["mean_abs"] == pytest.approx(np.mean(np.abs(off)))
    assert row["rmse"] == pytest.approx(np.mean([np.sqrt((o**2).mean()) for o in off]))
    classes = walked.bias[walked.bias["stage"] == "whole"]
    assert classes["true"].tolist() == ["1", "2"]
    assert np.average(classes["bias"], weights=classes["cells"]) == pytest.approx(np.mean(off))
    assert walked.n_simulations == 3


def test_not_going_below_zero_lifts_places_that_are_truly_zero():
    table = hdp.samples.load("us-households").table
    walked = walk(table, [released(table, seed, epsilon=1) for seed in range(2)])
    zeros = walked.bias[walked.bias["true"] == "0"].set_index("stage")["bias"]
    assert abs(zeros["noisy"]) < 0.3
    assert zeros["not negative"] > 1
    assert walked.errors.query("stage == 'whole'")["below_zero"].max() == 0
    assert walked.errors.query("stage == 'noisy' and level == 'county'")["below_zero"].iloc[0] > 0


def test_a_level_that_is_not_measured_has_no_noisy_error():
    table = hdp.samples.load("us-population").table
    walked = walk(table, [released(table, allocation=[0, 1, 1, 1, 1])])
    noisy = walked.errors[walked.errors["stage"] == "noisy"].set_index("level")
    assert np.isnan(noisy.loc["nation", "mean_abs"])
    assert noisy.loc["county", "mean_abs"] > 0


def test_other_mechanisms_and_no_simulation_are_refused():
    table = hdp.samples.load("us-population").table
    with pytest.raises(ChoiceError, match="hay has no stages to show"):
        stages_of(simulated(table, "hay", epsilon=1))
    with pytest.raises(ChoiceError, match="no simulation"):
        walk(table, [])
