"""No mutant of the privacy core survives without a written reason. Takes hours the first time."""

import subprocess
import sys

import pytest
from mutation.campaign import ROOT, Campaign, read_configuration

pytestmark = pytest.mark.mutation
CONFIGURATION = read_configuration()


@pytest.mark.parametrize("target", CONFIGURATION.targets, ids=lambda target: target.name)
def test_no_mutant_survives_without_a_reason(target):
    command = [sys.executable, "tests/mutation", "run", target.name]
    done = subprocess.run(command, cwd=ROOT, check=False)
    campaign = Campaign(ROOT, CONFIGURATION, target)
    assert not campaign.faults()
    assert done.returncode == 0
