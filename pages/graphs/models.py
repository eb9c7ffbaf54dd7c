"""The CRF among its kin: a map of six models, and an HMM beside a CRF trained on the same data.

The data are diaries of ice-cream cones, as in Eisner (2002), drawn from a hidden Markov model. Each
is read twice: as it is, and with every entry written down a second time. A copy says nothing new.
The HMM does not know that: it multiplies p(cones | weather) twice. A CRF only learns weights.

Source of the map: Sutton and McCallum (2012), "An introduction to conditional random fields",
figure 2.4.
"""

from functools import lru_cache
from typing import NamedTuple

import torch
from torch import Tensor

from crf.chain import LinearChain
from pages.shared.figures.drawing import Drawing
from pages.shared.figures.theme import percent

# ---------------------------------------------------------------------- the map


class Relative(NamedTuple):
    """A model on the map."""

    name: str  # its name
    models: str  # "p(x, y)" (generative) or "p(y | x)" (discriminative)
    output: str  # "one tag", "a sequence" or "any graph"
    lines: tuple[str, ...]  # what it computes


KIN = (
    Relative("naive Bayes", "p(x, y)", "one tag", ("p(y) ∏ₖ p(xₖ | y)",)),
    Relative("HMM", "p(x, y)", "a sequence", ("∏ₜ p(yₜ | yₜ₋₁)", "· p(xₜ | yₜ)")),
    Relative("directed model", "p(x, y)", "any graph", ("∏ᵥ p(v | parents of v)",)),
    Relative("logistic regression", "p(y | x)", "one tag", ("exp(w[y] · x) / Z(x)",)),
    Relative("linear-chain CRF", "p(y | x)", "a sequence",
             ("∏ₜ φ(yₜ, x, t) ∏ₜ ψ(yₜ, yₜ₊₁)", "/ Z(x)")),
    Relative("general CRF", "p(y | x)", "any graph", ("∏ₐ ψₐ(its variables, x)", "/ Z(x)")),
)  # fmt: skip

_PLACES = {"one tag": 0, "a sequence": 1, "any graph": 2}


def family() -> Drawing:
    """The map: a row for each objective, a column for each kind of output."""
    made = Drawing(
        "models", "Six models: each is its upper neighbour, trained on p(y | x)", 680, 330
    )
    wide, high, left, top, step, down = 178.0, 92.0, 90.0, 56.0, 196.0, 150.0
    for output, k in _PLACES.items():
        made.text(left + step * k + wide / 2, 18, output, "soft")
    for row, (models, about) in enumerate(
        (("p(x, y)", "generative"), ("p(y | x)", "discriminative"))
    ):
        y = top + down * row + high / 2
        made.text(0, y - 10, models, "left strong")
        made.text(0, y + 10, about, "left small soft")
        for k in (0, 1):
            x = left + step * k + wide
            made.line(x, y, x + step - wide, y, "axis", speaks="structure")
    for k in _PLACES.values():
        x = left + step * k + wide / 2
        made.line(x, top + high, x, top + down, "hot", speaks="objective")
        made.text(
            x - 8, top + high + (down - high) / 2, "trained on p(y | x)", "small hot right halo"
        )
    for one in KIN:
        x = left + step * _PLACES[one.output]
        y = top + down * (one.models == "p(y | x)")
        here = " here" * (one.name == "linear-chain CRF")
        made.box(x, y, wide, high, f"frame{here}", speaks="crf" if here else "")
        made.text(x + wide / 2, y + 20, one.name, "strong")
        for k, line in enumerate(one.lines):
            made.text(x + wide / 2, y + 48 + 22 * k, line, "small")
    return made


# ---------------------------------------------------------------------- an HMM beside a CRF

DIARIES, DAYS, TAGS, CONES = 200, 8, 2, 3
STEPS, RATE, MOMENTUM = 45, 0.25, 0.8
_START = torch.tensor([0.5, 0.5], dtype=torch.float64)
_STAY = torch.tensor([[0.8, 0.2], [0.2, 0.8]], dtype=torch.float64)
_GIVEN = torch.tensor([[0.1, 0.2, 0.7], [0.7, 0.2, 0.1]], dtype=torch.float64)  # [S, cones]


class Trained(NamedTuple):
    """A model on diaries that it has not seen."""

    name: str  # "HMM" or "CRF"
    copies: int  # how often each entry stands in the diary it reads
    sure: float  # the probability of the tag that it finds likeliest, on average
    right: float  # how often that tag is right
    loss: float  # −log p(tags | cones) of a diary, in nats, on average


@lru_cache(maxsize=1)
def side_by_side() -> list[Trained]:
    """HMM and CRF, each trained on the same diaries, read once and read twice."""
    generator = torch.Generator().manual_seed(7)
    seen, unseen = _diaries(generator), _diaries(generator)
    crf = learn(*seen)
    return [
        _judged(name, copies, tables, unseen)
        for copies in (1, 2)
        for name, tables in (("HMM", _count(*seen, copies)), ("CRF", shared(crf, copies)))
    ]


def calibration(found: list[Trained]) -> Drawing:
    """How sure each model is beside how often it is right."""
    left, right, low, high = 130.0, 640.0, 0.7, 1.0
    label = "How sure and how often right HMM and CRF are"
    made = Drawing("hmm-crf", label, 680, 300, plot=(left, right))

    def x(p: float) -> float:
        return left + (right - left) * (p - low) / (high - low)

    for tick in (70, 80, 90, 100):
        made.line(x(tick / 100), 24, x(tick / 100), 252, "grid")
        made.text(x(tick / 100), 270, f"{tick} %", "small soft")
    for k, one in enumerate(found):
        y = 46 + 54 * k + 16 * (k > 1)
        times = "each entry once" if one.copies == 1 else "each entry twice"
        made.text(0, y - 9, one.name, "left strong")
        made.text(0, y + 10, times, "left small soft")
        made.line(x(one.right), y, x(one.sure), y, "now", thick=3)
        made.dot(x(one.right), y, 7, "cold", speaks="right", title=f"right: {percent(one.right)}")
        made.dot(x(one.sure), y, 7, "hot", speaks="sure", title=f"sure: {percent(one.sure)}")
        if k == 2:
            made.text(x(one.right) - 12, y, f"right {percent(one.right)}", "small cold right halo")
            made.text(x(one.sure) + 12, y, f"sure {percent(one.sure)}", "small hot left halo")
    return made


def _diaries(generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Tags and cones, both [N, L], drawn from the hidden Markov model above."""
    tags = torch.empty(DIARIES, DAYS, dtype=torch.long)
    tags[:, 0] = torch.multinomial(_START.expand(DIARIES, -1), 1, generator=generator)[:, 0]
    for t in range(1, DAYS):
        tags[:, t] = torch.multinomial(_STAY[tags[:, t - 1]], 1, generator=generator)[:, 0]
    cones = torch.multinomial(_GIVEN[tags].flatten(0, 1), 1, generator=generator)
    return tags, cones.reshape(DIARIES, DAYS)


class ModelTables(NamedTuple):
    """A model's log-scores: emissions [cones, S], transitions [S, S], start [S]; and its copies."""

    emissions: Tensor
    transitions: Tensor
    start: Tensor
    copies: int

    def chain(self, cones: Tensor) -> LinearChain:
        """The chains of diaries [N, L]; each copy of an entry adds its emission."""
        emissions = self.copies * self.emissions[cones]
        return LinearChain(emissions, self.transitions, self.start, validate=False, backend="plain")


def _count(tags: Tensor, cones: Tensor, copies: int) -> ModelTables:
    """An HMM's tables: relative frequencies; a copy has the frequencies of its original."""
    moves = torch.zeros(TAGS, TAGS, dtype=torch.float64)
    moves.index_put_((tags[:, :-1], tags[:, 1:]), torch.ones((), dtype=torch.float64), True)
    given = torch.zeros(CONES, TAGS, dtype=torch.float64)
    given.index_put_((cones, tags), torch.ones((), dtype=torch.float64), True)
    first = torch.bincount(tags[:, 0], minlength=TAGS).double()
    return ModelTables(
        (given / given.sum(0)).log(), (moves / moves.sum(1, keepdim=True)).log(),
        (first / first.sum()).log(), copies,
    )  # fmt: skip


def learn(tags: Tensor, cones: Tensor) -> ModelTables:
    """A CRF's tables: those with the least negative log-likelihood.

    The likelihood is concave, so any start leads to the same probabilities; the HMM's tables are a
    near one. Steps go down the gradient, with Nesterov's momentum.
    """
    tables = list(_count(tags, cones, 1)[:3])
    speeds = [torch.zeros_like(table) for table in tables]
    for _ in range(STEPS):
        ahead = [
            (table + MOMENTUM * speed).requires_grad_()
            for table, speed in zip(tables, speeds, strict=True)
        ]
        emissions, transitions, start = ahead
        loss = -ModelTables(emissions, transitions, start, 1).chain(cones).log_prob(tags).mean()
        slopes = torch.autograd.grad(loss, ahead)
        speeds = [
            MOMENTUM * speed - RATE * slope for speed, slope in zip(speeds, slopes, strict=True)
        ]
        tables = [table + speed for table, speed in zip(tables, speeds, strict=True)]
    return ModelTables(*tables, copies=1)


def shared(tables: ModelTables, copies: int) -> ModelTables:
    """What the same training finds where each entry stands more than once.

    Only the sum of the copies' weights counts, so they share what the weight of one would be; at
    these tables the gradient with respect to each copy's weights is the same as before.
    """
    return tables._replace(emissions=tables.emissions / copies, copies=copies)


def _judged(name: str, copies: int, tables: ModelTables, unseen: tuple[Tensor, Tensor]) -> Trained:
    tags, cones = unseen
    chain = tables.chain(cones)
    p, guess = chain.marginals.max(-1)
    return Trained(
        name, copies, p.mean().item(), (guess == tags).double().mean().item(),
        -chain.log_prob(tags).mean().item(),
    )  # fmt: skip
