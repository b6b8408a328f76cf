"""Algorithm 2 of [C], written the slow way."""

import numpy as np


def step_by_step(noisy, total, smallest_first=True):
    """Algorithm 2 of [C] as it stands: z grows by one and the entries are walked again."""
    d = len(noisy)
    offset = np.maximum(-((sum(noisy) - total) // d), [-x for x in noisy])
    order = sorted(range(d), key=lambda i: noisy[i] if smallest_first else -noisy[i])
    z = max(abs(int(o)) for o in offset)
    while True:
        for i in order:
            excess = int(offset.sum()) - (total - sum(noisy))
            offset[i] = max(offset[i] - excess, -noisy[i], -z)
        if offset.sum() == total - sum(noisy):
            return (np.array(noisy) + offset).tolist()
        z += 1
