"""Exact noise: its distribution, no seed, each cell once, only for events that were paid for."""

import copy
import os
import pickle
import signal
from dataclasses import replace
from fractions import Fraction
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from noise.test_noise import (
    ALPHA,
    discrete_gaussian_pmf,
    double_geometric_pmf,
    p_value,
)

from hierdp_core.exceptions import ReleaseError
from hierdp_core.noise import ExactNoise, representable
from hierdp_core.noise import exact as exact_module
from hierdp_core.privacy import GaussianEvent, GeometricEvent

# The correct distribution fails once in a million runs. With this many samples, a scale that is
# wrong by 20% is detected in all but one of a billion runs.
DRAWS = 20_000
FACTORS = [(1.0, True), (0.8, False), (1.25, False)]


def geometric(scale, query="q"):
    return GeometricEvent(level=0, query=query, l1_sensitivity=1, scale=Fraction(scale))


def gaussian(sigma2, query="q"):
    return GaussianEvent(level=0, query=query, l2_sensitivity_squared=1, sigma2=Fraction(sigma2))


@pytest.fixture(scope="module")
def samples():
    """Return arrays of both kinds of noise, as a mechanism receives them."""
    events = {
        "geometric": [geometric(1), geometric(6)],
        "gaussian": [representable(gaussian(1)), representable(gaussian(9))],
    }
    return {
        kind: [ExactNoise([event]).draw(event, (DRAWS // 4, 4)) for event in some]
        for kind, some in events.items()
    }


@pytest.mark.parametrize(("factor", "accepted"), FACTORS)
@pytest.mark.parametrize(("place", "scale"), [(0, 1.0), (1, 6.0)])
def test_discrete_laplace_noise_has_its_distribution_alone(samples, place, scale, factor, accepted):
    sample = samples["geometric"][place].ravel()
    assert (p_value(sample, double_geometric_pmf, scale * factor) > ALPHA) == accepted


@pytest.mark.parametrize(("factor", "accepted"), FACTORS)
@pytest.mark.parametrize(("place", "sigma2"), [(0, 1.0), (1, 9.0)])
def test_discrete_gaussian_noise_has_its_distribution_alone(
    samples, place, sigma2, factor, accepted
):
    sample = samples["gaussian"][place].ravel()
    assert (p_value(sample, discrete_gaussian_pmf, sigma2 * factor**2) > ALPHA) == accepted


@pytest.mark.parametrize("spoil", [np.abs, lambda a: a // 2 * 2, lambda a: np.clip(a, -6, 6)])
def test_arrays_that_are_not_the_noise_are_detected(samples, spoil):
    assert p_value(spoil(samples["geometric"][1].ravel()), double_geometric_pmf, 6.0) < ALPHA


@pytest.mark.slow
@pytest.mark.parametrize(("factor", "accepted"), [(1.0, True), (0.95, False), (1.05, False)])
def test_the_distributions_to_five_percent(factor, accepted):
    for event, law, parameter in (
        (geometric(60), double_geometric_pmf, 60 * factor),
        (representable(gaussian(400)), discrete_gaussian_pmf, 400 * factor**2),
    ):
        sample = ExactNoise([event]).draw(event, (200_000,))
        assert (p_value(sample, law, parameter) > ALPHA) == accepted


def test_two_sources_give_different_noise_and_pieces_do_not_repeat():
    event = geometric(1000)
    one, other = (ExactNoise([event]).draw(event, (10_000,)) for _ in range(2))
    assert (one == other).mean() < 0.01
    at_once = exact_module._AT_ONCE
    assert (one[:at_once] == one[at_once : 2 * at_once]).mean() < 0.01


@given(scale=st.fractions(Fraction(1, 1000), 10**12))
def test_scales_are_exact_floats_and_never_below_what_was_planned(scale):
    for event in (geometric(scale), gaussian(scale)):
        drawn = representable(event)
        noise = "sigma2" if isinstance(event, GaussianEvent) else "scale"
        planned, used = getattr(event, noise), getattr(drawn, noise)
        assert planned <= used <= planned * (1 + Fraction(1, 2**50))
        assert representable(drawn) == drawn
        root = exact_module._scale(drawn)
        assert Fraction(root) ** (2 if noise == "sigma2" else 1) == used


def test_scales_reach_the_library_to_the_last_bit():
    event, given_scales = representable(geometric(Fraction(10, 3))), []

    def make(space, metric, scale):
        given_scales.append(scale)
        return lambda zeros: zeros

    import opendp.prelude as dp

    exact_module._sampler.cache_clear()
    with mock.patch.object(dp.m, "make_laplace", make):
        ExactNoise([event]).draw(event, (3,))
    exact_module._sampler.cache_clear()
    assert [Fraction(scale) for scale in given_scales] == [event.scale]


def test_only_what_was_paid_for_is_drawn_and_each_cell_once():
    paid, other = geometric(1), geometric(1, query="another question")
    noise = ExactNoise([paid])
    with pytest.raises(ReleaseError, match="another question"):
        noise.draw(other, (3,))
    with pytest.raises(ReleaseError, match="not among the events"):
        noise.draw(geometric(Fraction(1, 2)), (3,))
    from hierdp_core.noise import Cells

    noise.draw(paid, (3,), Cells.of_region(2, 3))
    with pytest.raises(RuntimeError, match="received noise before"):
        noise.draw(paid, (3,), Cells.of_region(1, 3))


def test_a_source_is_not_copied_stored_or_shared_with_another_process():
    event = geometric(1)
    noise = ExactNoise([event])
    for spread in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="cannot be copied"):
            spread(noise)
    with mock.patch("os.getpid", return_value=-1), pytest.raises(ReleaseError, match="process"):
        noise.draw(event, (1,))


def test_what_is_measured_beside_the_levels_is_paid_for_as_well():
    paid = geometric(1)
    beside = replace(paid, level=None, query="the largest size")
    noise = ExactNoise([paid])
    with pytest.raises(ReleaseError, match="“the largest size” is not among the events"):
        noise.draw(beside, (1,))
    with pytest.raises(ReleaseError, match="not among the events"):
        noise.draw(replace(paid, level=None), (1,))
    assert ExactNoise([beside]).draw(beside, (1,)).shape == (1,)


def test_a_process_with_a_larger_or_smaller_number_is_refused():
    noise, own = ExactNoise([geometric(1)]), os.getpid()
    for number in (own - 1, own + 1, 2 * own):
        with (
            mock.patch("os.getpid", return_value=number),
            pytest.raises(ReleaseError, match="process"),
        ):
            noise.draw(geometric(1), (1,))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs child processes that share memory")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_process_gets_no_noise():
    """The child has a copy of the source in its memory."""
    event = geometric(1)
    noise = ExactNoise([event])
    child = os.fork()
    if child == 0:
        signal.alarm(20)  # ends the child where it hangs
        outcome = 1
        try:
            noise.draw(event, (1,))
        except ReleaseError:
            outcome = 42
        finally:
            os._exit(outcome)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 42
    assert noise.draw(event, (1,)).shape == (1,)


def test_no_seed_can_be_given_or_read():
    with pytest.raises(TypeError):
        ExactNoise([geometric(1)], seed=1)
    assert not [name for name in dir(ExactNoise([geometric(1)])) if "seed" in name or "key" in name]


def test_the_source_names_the_generator_between_the_system_and_the_noise():
    """OpenDP takes random bits from OpenSSL, which the operating system only seeds."""
    stated = exact_module.noise_source()
    assert stated.startswith("OpenDP ")
    assert stated.endswith(", with a cryptographic generator that the operating system seeds")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs child processes that share memory")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_the_generator_is_seeded_again_in_a_child_process():
    """A child with a source of its own does not repeat the noise of its parent."""
    event = geometric(2**40)
    ExactNoise([event]).draw(event, (1,))  # the generator of this process has been seeded
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, ExactNoise([event], workers=1).draw(event, (4,)).tobytes())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        of_child = np.frombuffer(pipe.read(), dtype=np.int64)
    os.waitpid(child, 0)
    own = ExactNoise([event], workers=1).draw(event, (4,))
    assert len(of_child) == 4
    assert not {*own.tolist()} & {*of_child.tolist()}


def test_noise_that_the_sampler_cannot_draw_exactly_is_refused():
    with pytest.raises(ReleaseError, match="exactly"):
        ExactNoise([geometric(Fraction(1, 3))])
    with pytest.raises(ReleaseError, match="protects nobody"):
        exact_module._sampler(False, 0.0)


@pytest.mark.parametrize("use", [lambda: ExactNoise([geometric(1)]), exact_module.noise_source])
def test_a_missing_library_says_what_to_install(use):
    with (
        mock.patch.dict("sys.modules", {"opendp": None, "opendp.prelude": None}),
        pytest.raises(ReleaseError, match=r"\.\[release\]"),
    ):
        use()


def test_progress_counts_every_number():
    event, shown = geometric(1), []
    n = 2 * exact_module._AT_ONCE + 1
    ExactNoise([event], progress=lambda done, total: shown.append((done, total))).draw(event, (n,))
    assert shown[-1] == (n, n)
    assert len(shown) == 3


def test_wide_noise_is_not_cut():
    event = geometric(2**40)
    sample = ExactNoise([event]).draw(event, (400,))
    # All 400 lie within 2³¹ of 0 with a probability below 10⁻¹⁰⁰⁰.
    assert sample.max() > 2**31
    assert sample.min() < -(2**31)
