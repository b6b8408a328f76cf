"""What somebody types first works: a plan without a mechanism, one plan in place of a list."""

import hierdp_core as hdp
from hierdp_core import mechanisms, samples


def test_a_plan_takes_the_recommended_mechanism() -> None:
    for sample in ("us-population", "us-households", "ri-commuting"):
        table = samples.load(sample).table
        assert hdp.plan(table, epsilon=1).id == mechanisms.recommended(table.kind)


def test_one_plan_stands_for_a_list_of_one() -> None:
    table = samples.load("running-example").table
    made = hdp.plan(table, epsilon=1)
    alone = hdp.simulate_many(table, made, n_simulations=2, workers=1)
    listed = hdp.simulate_many(table, [made], n_simulations=2, workers=1)
    assert alone.drop(columns="seconds").equals(listed.drop(columns="seconds"))
