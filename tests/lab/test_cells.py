"""The cells that are expected of a homework are those of the trace, in each form of a table."""

import pytest
import torch

from crf import LinearChain
from crf.lab.cells import FORMS, AnswerForm, right_cells
from crf.lab.ladder import ladder
from crf.trace import trace

RUNGS = [rung for rung in ladder() if len(rung.rows[0].mask) < 100]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("function", ["forward", "backward", "deltas"])
@pytest.mark.parametrize("rung", RUNGS, ids=lambda rung: rung.name)
def test_expected_cells_are_those_of_the_trace(rung, function, form):
    algorithm = "viterbi" if function == "deltas" else function
    expected = {}
    for b, scores in enumerate(rung.rows):
        emissions, transitions, start, end = (
            torch.tensor(x, dtype=torch.float64) for x in scores[:4]
        )
        mask = torch.tensor([scores.mask])
        chain = LinearChain(emissions[None], transitions, start, end, mask)
        if form != "before-emission":
            table = trace(chain, algorithm=algorithm, convention=form).table
        elif function == "backward":
            table = trace(chain, algorithm=algorithm).table
        else:
            table = [scores.start, *trace(chain, algorithm=algorithm, convention="message").table]
        between = len(scores.tokens) - len(table)  # 1 where a column stands between two tokens
        tokens = scores.tokens[: len(table)] if function == "backward" else scores.tokens[between:]
        for t, column in zip(tokens, table, strict=True):
            expected |= {(b, t, s, ""): value for s, value in enumerate(column)}
    cells = right_cells(function, rung, AnswerForm(form=form))
    assert dict(cells) == pytest.approx(expected)
