"""The scan over time has the recursions' columns."""

import torch
from hypothesis import given

from crf.core import decoding, recursions, scan
from tests.core.checks import close
from tests.core.strategies import Case, cases


def columns(found: recursions.Columns, mask: torch.Tensor) -> torch.Tensor:
    return (found.relative + found.offsets[:, :, None])[mask]


@given(case=cases())
def test_sums_and_maxima_are_those_of_the_recursions(case: Case):
    p = case.chain().potentials
    alphas, (deltas, _) = recursions.forward(p), decoding.viterbi_forward(p)
    log_z = recursions.log_partition(p)
    size = {"atol": 1e-12 if p.emissions.dtype == torch.float64 else 1e-4, "rtol": 1e-5}
    close(columns(scan.scan(p, torch.logaddexp), p.mask), columns(alphas, p.mask), **size)
    close(columns(scan.scan(p, torch.maximum), p.mask), deltas[p.mask], **size)
    close(scan.log_partition(p), log_z, **size)
