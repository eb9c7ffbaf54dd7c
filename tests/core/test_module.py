"""ChainCRF: parameters, loss, decoding, state dicts, refusals of what has no finite loss."""

import copy
import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.autograd import gradcheck
from torch.nn.utils.parametrize import register_parametrization

import crf
from tests.core.batches import module, small
from tests.core.checks import close, same
from tests.core.oracle import Row
from tests.core.strategies import Case, cases, labelled

INF = math.inf
REDUCTIONS = ("none", "sum", "mean", "token_mean")
IGNORED = torch.tensor([[1, -100, 2, 0], [-100, 0, 1, -100]])


def model_of(case: Case) -> crf.ChainCRF:
    """A module with the parameters of a homogeneous case."""
    zero = torch.zeros(case.shape[2])
    ends = (zero if x is None else x for x in (case.start, case.end))
    return module(case.transitions, *ends)


def row_of(model: crf.ChainCRF, emissions: torch.Tensor) -> Row:
    """The oracle for a module and the emissions [L, S] of one sentence."""
    scores = (x.tolist() for x in model.parameters())
    return Row(emissions.tolist(), *scores, [True] * len(emissions))


def bio() -> crf.Constraints:
    return crf.Constraints.bio(["O", "B-X", "I-X"])


class TestLoss:
    @given(labelled(dtypes=(torch.float64, torch.float32), forbidden=(0.0,)))
    def test_enumeration_and_reductions(self, drawn):
        case, tags = drawn
        if case.transitions.dim() == 4:
            return
        model = model_of(case)
        pairs = zip(case.rows, tags.tolist(), strict=True)
        losses = [-row.log_prob(row.gather(line)) for row, line in pairs]
        wanted, tokens = torch.tensor(losses, dtype=torch.float64), sum(row.m for row in case.rows)
        total = wanted.sum()
        found = {r: model(case.emissions, tags, case.mask, reduction=r) for r in REDUCTIONS}
        close(found["none"], wanted)
        close(found["sum"], total, rtol=1e-6)
        close(found["mean"], wanted.mean(), rtol=1e-6)
        close(found["token_mean"], total / max(tokens, 1), rtol=1e-6)
        close(model(case.emissions, tags, case.mask), found["mean"])

    @given(cases(dtypes=(torch.float64,)))
    def test_decode_gives_the_best_path_as_lists(self, case: Case):
        if case.transitions.dim() == 2:
            wanted = [list(row.best or ()) for row in case.rows]
            found = model_of(case).decode(case.emissions, case.mask)
            assert found == wanted
            assert all(type(tag) is int for line in found for tag in line)

    @given(st.integers(1, 4), st.integers(1, 3))
    def test_probabilities_of_all_paths_sum_to_one_through_the_public_loss(self, L: int, S: int):
        model, emissions, _ = small(S, 1, L)
        paths = torch.cartesian_prod(*[torch.arange(S)] * L).reshape(-1, L)
        nll = model(emissions.expand(len(paths), L, S), paths, reduction="none")
        close((-nll).exp().sum(), 1.0)

    def test_no_tokens_cost_nothing_and_have_no_minus_zero(self):
        model, emissions, tags = small()
        for reduction in REDUCTIONS[1:]:
            none = torch.zeros(2, 0, 3).double(), torch.zeros(2, 0).long()
            close(model(*none, reduction=reduction), 0.0)
        mask = torch.tensor([[True] * 4, [False] * 4])
        every = torch.ones(2, 4, 3, dtype=torch.bool)
        for found in (
            model(emissions, tags, mask, "none"),
            model.partial_nll(emissions, every, mask, "none"),
        ):
            assert math.copysign(1.0, found[1].item()) == 1.0

    def test_padding_in_tags_and_masks_of_numbers(self):
        model, emissions, tags = small()
        mask = torch.tensor([[True] * 4, [True, True, False, False]])
        wanted = model(emissions, tags, mask)
        close(model(emissions, tags.masked_fill(~mask, -100), mask), wanted)
        for dtype in (torch.uint8, torch.int64):
            numbers = mask.to(dtype)
            close(model(emissions, tags, numbers), wanted)
            assert model.decode(emissions, numbers) == model.decode(emissions, mask)

    def test_a_loss_too_large_for_its_precision_is_infinite_and_no_error(self):
        emissions = torch.tensor([[[0.0, 0.0, -3e38], [0.0, 0.0, -3e38]]])
        assert crf.ChainCRF(3)(emissions, torch.tensor([[2, 2]])) == math.inf


class TestWeights:
    def test_per_sequence_token_and_tag(self):
        model, emissions, _ = small()
        given = emissions, tags, mask = emissions, IGNORED, IGNORED != -100
        each = model(*given, "none")
        tokens, of_tag = model.chain(emissions, mask).token_log_probs(tags), torch.rand(3).double()
        per_token = of_tag[tags.clamp(min=0)]
        per_sequence = torch.tensor([[0.5], [3.0]])
        for weight, wanted in (
            (torch.ones(2, 1), each),
            (torch.ones(2, 4), each),
            (torch.ones(3), each),
            (per_sequence, each * per_sequence[:, 0]),
            (per_token, -(tokens * per_token).sum(1)),
            (of_tag, -(tokens * per_token).sum(1)),
        ):
            close(model(*given, "none", weight=weight), wanted)
            close(model(*given, weight=weight), wanted.mean())
        loss = lambda x: model(x, tags, mask, "none", weight=per_token)  # noqa: E731
        assert gradcheck(loss, emissions.requires_grad_(), fast_mode=True)
        with pytest.raises(ValueError, match=r"weight: .*\[2, 1\].*\[2, 4\].*\[3\].*got \[5\]"):
            model(*given, weight=torch.ones(5))


class TestIgnoredTags:
    """`ignore_index` means the same in every method."""

    def test_the_same_as_a_mask(self):
        model, emissions, _ = small()
        keep = {"tags": IGNORED, "ignore_index": -100}
        every = torch.ones(2, 4, 3, dtype=torch.bool)
        every[0, 0, 2] = False
        for narrow in (None, torch.tensor([[1, 1, 1, 0], [0, 1, 1, 1]]).bool()):
            both = IGNORED != -100 if narrow is None else (IGNORED != -100) & narrow
            same(model.chain(emissions, narrow, **keep).mask, both)
            assert model.decode(emissions, narrow, **keep) == model.decode(emissions, both)
            partly = model.partial_nll(emissions, every, narrow, **keep)
            close(partly, model.partial_nll(emissions, every, both))
            found = model(emissions, IGNORED, narrow, ignore_index=-100)
            close(found, model(emissions, IGNORED, both))

    def test_half_of_it_is_refused_and_the_error_names_it(self):
        model, emissions, _ = small()
        for half in ({"tags": IGNORED}, {"ignore_index": -100}):
            for method in (model.chain, model.decode):
                with pytest.raises(TypeError, match="expected both or neither"):
                    method(emissions, **half)
        with pytest.raises(ValueError, match=r"got -100 .*ignore_index=-100"):
            model(emissions, IGNORED)


class TestModule:
    def test_the_chain_holds_the_parameters_and_gradients_reach_them(self):
        model, emissions, tags = small()
        chain, row = model.chain(emissions), row_of(model, emissions[0])
        close(chain.log_partition[0], row.log_partition)
        close(chain.score(tags)[0], row.score(tags[0].tolist()))
        chain.log_partition.sum().backward()
        for parameter, uses in zip(model.parameters(), (6.0, 2.0, 2.0), strict=True):
            close(parameter.grad.sum(), uses)

    @pytest.mark.parametrize("constraints", [None, bio()])
    def test_a_state_dict_of_pytorch_crf_loads_strictly_and_gives_its_loss(self, constraints):
        values = {
            "start_transitions": torch.tensor([0.1, -0.2, 0.3]),
            "end_transitions": torch.tensor([1.0, 0.5, -1.5]),
            "transitions": torch.arange(9.0).reshape(3, 3) / 4 - 1,
        }
        model = crf.ChainCRF(3, constraints)
        model.load_state_dict(values, strict=True)
        assert dict(model.named_parameters()).keys() == model.state_dict().keys() == values.keys()
        if constraints is None:
            emissions = torch.tensor([[[0.5, 0.25, 0.0], [0.0, 1.0, -1.0], [2.0, 0.0, 0.5]]])
            for path in [(0, 1, 2), (2, 2, 0)]:
                wanted = -row_of(model, emissions[0]).log_prob(path)
                close(model(emissions, torch.tensor([path])), wanted, atol=1e-5)

    def test_dtypes_and_devices(self):
        model, emissions, tags = small()
        wanted = model(emissions, tags).item()
        loss = model.float()(emissions.float(), tags)
        assert loss.dtype == torch.float32
        assert loss.item() == pytest.approx(wanted, rel=1e-5)
        assert model.half()(emissions.half(), tags).dtype == torch.float32
        moved = crf.ChainCRF(3, bio()).to("meta")
        assert moved.constraints.start.device.type == "meta"
        assert "num_tags=3" in repr(moved) != repr(crf.ChainCRF(3))

    def test_seeded_initialisation_leaves_the_global_generator_alone(self):
        before = torch.random.get_rng_state()
        models = [crf.ChainCRF(4, generator=torch.Generator().manual_seed(s)) for s in (1, 1, 2)]
        assert torch.equal(torch.random.get_rng_state(), before)
        values = [torch.cat([p.flatten() for p in model.parameters()]) for model in models]
        assert torch.equal(values[0], values[1])
        assert not torch.equal(values[0], values[2])
        assert 0.02 < values[0].std() < values[0].abs().max() <= 0.1

    def test_a_parametrised_score_counts_as_it_is_computed(self):
        """Such as torch.nn.utils.parametrize makes: here each has a factor of its own."""

        class Times(torch.nn.Module):
            def __init__(self, factor):
                super().__init__()
                self.factor = factor

            def forward(self, scores):
                return self.factor * scores

        model, emissions, tags = small()
        expected = copy.deepcopy(model)
        for name, factor in (("transitions", 2), ("start_transitions", -1), ("end_transitions", 3)):
            getattr(expected, name).data.mul_(factor)
            register_parametrization(model, name, Times(factor))
        close(model(emissions, tags), expected(emissions, tags))
        assert model.decode(emissions) == expected.decode(emissions)


def refused(*fragments: str, kind=ValueError):
    return pytest.raises(kind, match="(?s)" + "".join(f"(?=.*{f})" for f in fragments))


class TestRefusals:
    """What has no finite loss is refused with its row and step; what does not fit, by name."""

    @pytest.mark.parametrize(
        ("gold", "fragments"),
        [
            ([0, 0, 3, 0], ("tags", "3", "row 1", "step 2")),
            ([2, 2, 0, 0], ("tags", "row 1", "step 0", "start")),
            ([0, 0, 2, 0], ("tags", "row 1", "step 2", "transition")),
            ([0, 0, 0, 1], ("tags", "row 1", "step 3", "end")),
            ([0, 2, 2, 0], ("tags", "row 1", "step 1", "emission")),
        ],
    )
    def test_a_gold_path_that_is_none(self, gold: list, fragments):
        allowed = [[True, True, gold[1] == 2], [True] * 3, [True] * 3]
        table = crf.Constraints.table(allowed, [True, True, False], [True, False, True])
        model, emissions = crf.ChainCRF(3, table).double(), small()[1]
        emissions[1, 1, 2] = -INF
        with refused(*fragments):
            model(emissions, torch.tensor([[0, 1, 2, 0], gold]))

    def test_a_parameter_that_forbids_unless_it_is_masked_and_an_infeasible_chain(self):
        model, emissions, _ = small()
        with torch.no_grad():
            model.transitions[1, 2] = -INF
        tags = torch.tensor([[0, 0, 1, 2], [0, 0, 0, 0]])
        with refused("tags", "row 0", "step 3"):
            model(emissions, tags)
        mask = torch.tensor([[True, True, True, False], [True] * 4])
        assert model(emissions, tags, mask).isfinite()
        emissions[1, 2] = -INF
        with refused("row 1", "step 2"):
            model(emissions, tags, mask)

    def test_arguments(self):
        model, emissions, tags = small()
        for call, fragments, kind in (
            (lambda: model(emissions[:, :, :2], tags), ("emissions", "3", "2"), ValueError),
            (lambda: model.decode(emissions[:, :, :2]), ("emissions", "3", "2"), ValueError),
            (lambda: model(emissions.mT, tags), ("emissions",), ValueError),
            (lambda: model(emissions.transpose(0, 1), tags), ("transpose",), ValueError),
            (lambda: model(emissions, tags, reduction="average"), ("token_mean",), ValueError),
            (lambda: crf.ChainCRF(0), ("num_tags", "0"), ValueError),
            (lambda: crf.ChainCRF("3"), ("num_tags", "str"), TypeError),  # pyright: ignore
            (lambda: crf.ChainCRF(4, bio()), ("constraints", "4", "3"), ValueError),
            (lambda: crf.ChainCRF(4, [[True] * 3] * 3), ("constraints", "4", "3"), ValueError),
            (lambda: crf.ChainCRF(2, [[0.0, 1.0]] * 2), ("transitions", "float"), TypeError),
        ):
            with refused(*fragments, kind=kind):
                call()
