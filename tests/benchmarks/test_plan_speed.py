"""The time of a budget search for one target, and the difference of ε between seeds.

    .venv/bin/pytest -n0 -s tests/benchmarks/test_plan_speed.py

The bars of the order: one target on `us-households` in under 60 s, and ε within 5% from seed
to seed. Times vary with the machine: they are printed, the spread of ε is held.
"""

from time import perf_counter

import hierdp_core as hdp

SEEDS = (0, 1)


def test_one_target_on_households():
    table = hdp.samples.load("us-households").table
    hdp.mechanisms.warm_up("pgsr-h-dp")
    sizes = []
    for seed in SEEDS:
        begun = perf_counter()
        found = hdp.find_budget(table, "pgsr-h-dp", ["county=5%"], seed=seed)
        print(f"\n{perf_counter() - begun:6.1f} s  {found.sentence}")
        sizes.append(found.size)
        assert found.reached
    assert max(sizes) / min(sizes) < 1.05
