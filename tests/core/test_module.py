"""ChainCRF: parameters, loss, decoding, state dicts, refusals of what has no finite loss."""

import copy
import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn.utils.parametrize import register_parametrization

import crf
from tests.core.checks import close
from tests.core.oracle import Row
from tests.core.strategies import Case, labelled

INF = math.inf


def model_of(case: Case) -> crf.ChainCRF:
    """A module with the parameters of a homogeneous case."""
    S = case.shape[2]
    model = crf.ChainCRF(S).to(case.emissions.dtype)
    zero = torch.zeros(S)
    with torch.no_grad():
        model.transitions.copy_(case.transitions)
        model.start_transitions.copy_(zero if case.start is None else case.start)
        model.end_transitions.copy_(zero if case.end is None else case.end)
    return model


def small(S: int = 3, B: int = 2, L: int = 4) -> tuple[crf.ChainCRF, torch.Tensor, torch.Tensor]:
    source = torch.Generator().manual_seed(7)
    model = crf.ChainCRF(S).double()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=source))
    emissions = torch.randn(B, L, S, generator=source, dtype=torch.float64)
    return model, emissions, torch.randint(S, (B, L), generator=source)


class TestForward:
    @given(labelled(allowed=True, dtypes=(torch.float64, torch.float32), forbidden=(0.0,)))
    def test_enumeration_and_reductions(self, drawn):
        case, tags = drawn
        if case.transitions.dim() == 4:
            return
        model = model_of(case)
        pairs = zip(case.rows, tags.tolist(), strict=True)
        wanted = torch.tensor(
            [-row.log_prob(row.gather(line)) for row, line in pairs], dtype=torch.float64
        )
        tokens = sum(row.m for row in case.rows)

        def loss(reduction: str) -> torch.Tensor:
            return model(case.emissions, tags, case.mask, reduction=reduction)

        close(loss("none"), wanted)
        close(
            loss("sum"), wanted.sum(), rtol=1e-6 if case.emissions.dtype == torch.float32 else 1e-14
        )
        close(loss("mean"), wanted.mean(), rtol=1e-6)
        close(loss("token_mean"), wanted.sum() / max(tokens, 1), rtol=1e-6)
        close(model(case.emissions, tags, case.mask), loss("mean"))

    @given(st.integers(1, 4), st.integers(1, 3))
    def test_probabilities_of_all_paths_sum_to_one_through_the_public_loss(self, L: int, S: int):
        model, emissions, _ = small(S, 1, L)
        paths = torch.cartesian_prod(*[torch.arange(S)] * L).reshape(-1, L)
        nll = model(emissions.expand(len(paths), L, S), paths, reduction="none")
        close((-nll).exp().sum(), 1.0)

    def test_it_is_a_loss(self):
        model, emissions, tags = small()
        loss = model(emissions, tags)
        assert loss.shape == ()
        assert loss.item() > 0
        loss.backward()
        for parameter in model.parameters():
            assert parameter.grad.abs().max() > 0

    def test_gradient_descent_learns_the_tags(self):
        model, emissions, tags = small()
        optimiser = torch.optim.SGD(model.parameters(), lr=0.3)
        free = torch.zeros_like(emissions).requires_grad_()
        optimiser.add_param_group({"params": [free]})
        first = model(free, tags).item()
        for _ in range(40):
            optimiser.zero_grad()
            model(free, tags).backward()
            optimiser.step()
        assert model(free, tags).item() < 0.2 * first
        assert model.decode(free) == tags.tolist()

    def test_a_batch_without_tokens_costs_nothing(self):
        model, _, _ = small()
        for reduction in ("sum", "mean", "token_mean"):
            empty = model(
                torch.zeros(2, 0, 3).double(), torch.zeros(2, 0).long(), reduction=reduction
            )
            close(empty, 0.0)

    def test_padding_in_tags(self):
        model, emissions, tags = small()
        mask = torch.tensor([[True] * 4, [True, True, False, False]])
        wanted = model(emissions, tags, mask)
        close(model(emissions, tags.masked_fill(~mask, -100), mask), wanted)

    def test_the_docstring_says_that_a_loss_is_positive(self):
        text = crf.ChainCRF.forward.__doc__.lower()
        assert "negative log-likelihood" in text
        assert "positive" in text


class TestDecode:
    @given(labelled(dtypes=(torch.float64,)))
    def test_it_is_the_best_path_as_lists(self, drawn):
        case, _ = drawn
        if case.transitions.dim() == 4:
            return
        wanted = [[] if row.best is None else list(row.best) for row in case.rows]
        assert model_of(case).decode(case.emissions, case.mask) == wanted

    def test_plain_ints(self):
        model, emissions, _ = small()
        decoded = model.decode(emissions)
        assert all(type(tag) is int for line in decoded for tag in line)

    def test_empty_and_infeasible_rows(self):
        model, emissions, _ = small(B=3)
        emissions[1, 2] = -INF
        mask = torch.ones(3, 4, dtype=torch.bool)
        mask[2] = False
        decoded = model.decode(emissions, mask)
        assert [len(line) for line in decoded] == [4, 0, 0]

    def test_it_asks_for_no_gradient(self):
        model, emissions, _ = small()
        model.decode(emissions.requires_grad_())
        assert emissions.grad is None


class TestChain:
    def test_it_holds_the_parameters(self):
        model, emissions, tags = small()
        chain = model.chain(emissions)
        assert isinstance(chain, crf.LinearChain)
        row = Row(
            emissions[0].tolist(),
            model.transitions.tolist(),
            model.start_transitions.tolist(),
            model.end_transitions.tolist(),
            [True] * 4,
        )
        close(chain.log_partition[0], row.log_partition)
        close(chain.score(tags)[0], row.score(tags[0].tolist()))

    def test_gradients_reach_the_parameters(self):
        model, emissions, _ = small()
        model.chain(emissions).log_partition.sum().backward()
        close(model.start_transitions.grad.sum(), 2.0)
        close(model.end_transitions.grad.sum(), 2.0)
        close(model.transitions.grad.sum(), 6.0)


class TestStateDict:
    def test_the_names_and_shapes_of_pytorch_crf_strictly(self):
        for constraints in (None, bio()):
            model = crf.ChainCRF(3, constraints)
            shapes = {name: tuple(value.shape) for name, value in model.state_dict().items()}
            assert shapes == {
                "start_transitions": (3,),
                "end_transitions": (3,),
                "transitions": (3, 3),
            }
            assert set(dict(model.named_parameters())) == set(shapes)

    def test_loading_one_gives_its_loss(self):
        values = {
            "start_transitions": torch.tensor([0.1, -0.2, 0.3]),
            "end_transitions": torch.tensor([1.0, 0.5, -1.5]),
            "transitions": torch.arange(9.0).reshape(3, 3) / 4 - 1,
        }
        model = crf.ChainCRF(3)
        model.load_state_dict(values, strict=True)
        emissions = torch.tensor([[[0.5, 0.25, 0.0], [0.0, 1.0, -1.0], [2.0, 0.0, 0.5]]])
        row = Row(
            emissions[0].tolist(),
            values["transitions"].tolist(),
            values["start_transitions"].tolist(),
            values["end_transitions"].tolist(),
            [True] * 3,
        )
        for path in [(0, 1, 2), (2, 2, 0)]:
            loss = model(emissions, torch.tensor([path]))
            close(loss, -row.log_prob(path), atol=1e-5)

    def test_round_trip(self):
        model, emissions, tags = small()
        other = crf.ChainCRF(3).double()
        other.load_state_dict(copy.deepcopy(model.state_dict()), strict=True)
        assert torch.equal(other(emissions, tags), model(emissions, tags))


class TestModule:
    def test_dtype_moves(self):
        model, emissions, tags = small()
        wanted = model(emissions, tags).item()
        model.float()
        loss = model(emissions.float(), tags)
        assert loss.dtype == torch.float32
        assert loss.item() == pytest.approx(wanted, rel=1e-5)
        half = model.half()
        assert half(emissions.half(), tags).dtype == torch.float32

    def test_device_moves_take_the_constraints_along(self):
        model = crf.ChainCRF(3, bio()).to("meta")
        assert all(x.device.type == "meta" for x in (*model.parameters(), *model.buffers()))

    def test_repr_says_what_it_is(self):
        assert "num_tags=7" in repr(crf.ChainCRF(7))
        assert repr(crf.ChainCRF(3)) != repr(crf.ChainCRF(3, bio()))

    def test_seeded_initialisation(self):
        models = [crf.ChainCRF(4, generator=torch.Generator().manual_seed(s)) for s in (1, 1, 2)]
        values = [torch.cat([p.flatten() for p in model.parameters()]) for model in models]
        assert torch.equal(values[0], values[1])
        assert not torch.equal(values[0], values[2])
        assert values[0].abs().max() <= 0.1
        assert values[0].std() > 0.02

    def test_seeded_initialisation_leaves_the_global_generator_alone(self):
        before = torch.random.get_rng_state()
        crf.ChainCRF(4, generator=torch.Generator().manual_seed(1))
        assert torch.equal(torch.random.get_rng_state(), before)
        torch.manual_seed(3)
        first = crf.ChainCRF(4).transitions.detach().clone()
        torch.manual_seed(3)
        assert torch.equal(crf.ChainCRF(4).transitions, first)

    def test_copies_are_independent(self):
        model, emissions, tags = small()
        twin = copy.deepcopy(model)
        with torch.no_grad():
            twin.transitions.zero_()
        assert not torch.equal(model(emissions, tags), twin(emissions, tags))


def bio() -> crf.Constraints:
    return crf.Constraints.bio(["O", "B-X", "I-X"])


class TestRefusals:
    """What has no finite loss is refused with its row and step; what does not fit, by name."""

    def refused(self, *fragments: str, kind=ValueError):
        return pytest.raises(kind, match="(?s)" + "".join(f"(?=.*{f})" for f in fragments))

    def test_a_tag_out_of_range(self):
        model, emissions, tags = small()
        tags[1, 2] = 3
        with self.refused("tags", "3", "row 1", "step 2"):
            model(emissions, tags)

    def test_an_infeasible_chain(self):
        model, emissions, tags = small()
        emissions[1, 2] = -INF
        with self.refused("row 1", "step 2"):
            model(emissions, tags)

    @pytest.mark.parametrize(
        ("constraint", "gold", "step"),
        [("start", [2, 2, 0, 0], 0), ("transition", [0, 0, 2, 0], 2), ("end", [0, 0, 0, 1], 3)],
    )
    def test_a_gold_path_that_constraints_forbid(self, constraint: str, gold: list, step: int):
        allowed = torch.tensor([[1, 1, 0], [1, 1, 1], [1, 1, 1]]).bool()
        table = crf.Constraints.table(
            allowed, start=torch.tensor([True, True, False]), end=torch.tensor([True, False, True])
        )
        _, emissions, _ = small()
        model = crf.ChainCRF(3, table).double()
        tags = torch.tensor([[0, 1, 2, 0], gold])
        with self.refused("tags", "row 1", f"step {step}", constraint):
            model(emissions, tags)

    def test_a_gold_path_that_an_emission_forbids(self):
        model, emissions, tags = small()
        emissions[1, 3, tags[1, 3]] = -INF
        with self.refused("tags", "row 1", "step 3"):
            model(emissions, tags)

    def test_a_gold_path_that_a_parameter_forbids(self):
        model, emissions, _ = small()
        with torch.no_grad():
            model.transitions[1, 2] = -INF
        with self.refused("tags", "row 0", "step 3"):
            model(emissions, torch.tensor([[0, 0, 1, 2], [0, 0, 0, 0]]))

    def test_forbidden_and_masked_is_no_reason(self):
        model, emissions, _ = small()
        with torch.no_grad():
            model.transitions[1, 2] = -INF
        mask = torch.tensor([[True, True, True, False], [True] * 4])
        loss = model(emissions, torch.tensor([[0, 0, 1, 2], [0, 0, 0, 0]]), mask)
        assert loss.isfinite()

    def test_a_loss_too_large_for_its_precision_is_infinite_and_no_error(self):
        emissions = torch.tensor([[[0.0, 0.0, -3e38], [0.0, 0.0, -3e38]]])
        loss = crf.ChainCRF(3)(emissions, torch.tensor([[2, 2]]))
        assert loss == math.inf

    def test_the_wrong_number_of_tags(self):
        model, emissions, tags = small()
        with self.refused("emissions", "3", "2"):
            model(emissions[:, :, :2], tags)
        with self.refused("emissions", "3", "2"):
            model.decode(emissions[:, :, :2])

    def test_an_unknown_reduction(self):
        model, emissions, tags = small()
        with self.refused("reduction", "token_mean", "average"):
            model(emissions, tags, reduction="average")

    @pytest.mark.parametrize(
        ("num_tags", "kind"), [(0, ValueError), (-3, ValueError), ("3", TypeError)]
    )
    def test_the_number_of_tags(self, num_tags, kind):
        with self.refused("num_tags", str(num_tags) if kind is ValueError else "str", kind=kind):
            crf.ChainCRF(num_tags)

    def test_constraints_for_other_tags(self):
        with self.refused("constraints", "4", "3"):
            crf.ChainCRF(4, bio())
        with self.refused("constraints", "4", "3"):
            crf.ChainCRF(4, [[True] * 3] * 3)
        with self.refused("transitions", "float", kind=TypeError):
            crf.ChainCRF(2, [[0.0, 1.0]] * 2)


@pytest.mark.parametrize("name", ["transitions", "start_transitions", "end_transitions"])
def test_a_parametrised_score_counts_as_it_is_computed(name):
    """Such as torch.nn.utils.parametrize makes: here every score is doubled."""

    class Doubled(torch.nn.Module):
        def forward(self, scores):
            return 2 * scores

    model = crf.ChainCRF(3)
    expected = copy.deepcopy(model)
    with torch.no_grad():
        getattr(expected, name).mul_(2)
    register_parametrization(model, name, Doubled())
    emissions, tags = torch.randn(2, 4, 3), torch.randint(3, (2, 4))
    torch.testing.assert_close(model(emissions, tags), expected(emissions, tags))
    assert model.decode(emissions) == expected.decode(emissions)
