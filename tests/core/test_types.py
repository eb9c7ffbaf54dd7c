"""The shapes written in the signatures, checked by beartype while every query is asked.

In a process of its own: under the import hook a wrong argument meets the type checker, and the rest
of the suite must see the package's own messages.
"""

import subprocess
import sys

import pytest

SCRIPT = """
from jaxtyping import TypeCheckError, install_import_hook

with install_import_hook("crf", "beartype.beartype"):
    import crf, crf.core.recursions, crf.trace
import torch

def ask(chain, tags, other):
    for name in ("log_partition", "log_alphas", "log_betas", "marginals", "pair_marginals",
                 "entropy", "feasible", "mask"):
        getattr(chain, name)
    chain.score(tags), chain.log_prob(tags), chain.clamp(tags).log_partition
    chain.viterbi(), chain.viterbi(store_backpointers=False), chain.topk(7), chain.sample(6)
    chain.greedy(), chain.greedy_left_to_right(), chain.posterior_decode()
    chain.kl(other), chain.cross_entropy(other)

B, L, S = 2, 5, 3
tags = torch.zeros(B, L, dtype=torch.long)
mask = torch.tensor([[True, True, False, True, True], [False, True, True, False, False]])
for dtype, shape in ((torch.float32, (S, S)), (torch.float16, (B, L - 1, S, S))):
    scores = [torch.zeros(s, dtype=dtype) for s in ((B, L, S), shape, (S,), (S,))]
    chain, other = (crf.LinearChain(*scores, mask, backend="plain") for _ in range(2))
    ask(chain, tags, other)
    crf.trace.trace(chain)
    scores[0].requires_grad_()
    chain = crf.LinearChain(*scores, mask, backend="plain")
    (chain.log_partition.sum() + chain.entropy.sum()).backward()

model = crf.ChainCRF(S, crf.Constraints.bio(["O", "B", "I"]), backend="plain")
emissions = torch.zeros(B, L, S)
for reduction in ("none", "sum", "mean", "token_mean"):
    model(emissions, tags, mask, reduction)
model.decode(emissions, mask)
model.chain(emissions, allowed=torch.ones(L, S, dtype=torch.bool)).marginals

try:  # or is the hook asleep?
    crf.core.recursions.log_matvec(torch.zeros(2, 3, 4), torch.zeros(3, 3))
except TypeCheckError:
    print("checked")
"""


@pytest.mark.thorough
def test_every_public_signature_holds():
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", SCRIPT], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["checked"]
