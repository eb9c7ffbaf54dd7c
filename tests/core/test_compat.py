"""`crf.compat.CRF`: what pytorch-crf 0.7 does, as its own tests have it."""

import pytest
import torch

import crf
from crf.compat import CRF
from tests.core.checks import close


class Program(CRF):
    """A program that uses what pytorch-crf has beyond its documentation."""

    def answers(self, emissions, tags, mask):
        """Always time-major, as there, with masks of any dtype."""
        score = self._compute_score(emissions, tags, mask.float())
        log_z = self._compute_normalizer(emissions, mask.float())
        return score, log_z, self._viterbi_decode(emissions, mask)


@pytest.mark.parametrize("constraints", [None, crf.Constraints.bio(["O", "B-X", "I-X"])])
def test_what_programs_call_on_pytorch_crf_beyond_its_documentation(constraints):
    source = torch.Generator().manual_seed(6)
    model = Program(3, batch_first=True, constraints=constraints)
    emissions = torch.randn(4, 2, 3, generator=source)  # [L, B, S]
    mask = torch.tensor([[1, 1], [1, 1], [1, 0], [1, 0]]).bool()
    tags = torch.tensor([[1, 0], [2, 1], [0, 0], [1, 0]])
    batch_first = emissions.transpose(0, 1), mask.T
    chain = model.chain(*batch_first)
    score, log_z, paths = model.answers(emissions, tags, mask)
    close(score, chain.score(tags.T))
    close(log_z, chain.log_partition)
    assert paths == model.decode(*batch_first)


@pytest.mark.parametrize("batch_first", [False, True])
class TestPytorchCrf:
    """What pytorch-crf 0.7 does, as its own tests have it."""

    @staticmethod
    def example(batch_first: bool):
        source = torch.Generator().manual_seed(4)
        model = CRF(5, batch_first)
        emissions = torch.randn(2, 4, 5, generator=source)
        tags = torch.randint(5, (2, 4), generator=source)
        mask = torch.tensor([[1, 1, 1, 1], [1, 1, 0, 0]], dtype=torch.uint8)
        if not batch_first:
            emissions, tags, mask = emissions.transpose(0, 1), tags.T, mask.T
        return model, emissions, tags, mask

    def test_likelihoods(self, batch_first: bool):
        model, *given = self.example(batch_first)
        each = model(*given, reduction="none")
        assert (each < 0).tolist() == [True, True]
        close(model(*given), each.sum(), rtol=1e-6)
        close(model(*given, reduction="mean"), each.mean(), rtol=1e-6)
        close(model(*given, reduction="token_mean"), each.sum() / 6, rtol=1e-6)
        one = (x[:1] if batch_first else x[:, :1] for x in given)
        close(model(*one), each[0], rtol=1e-6)
        own = crf.ChainCRF(5)
        own.load_state_dict(model.state_dict())
        turned = given if batch_first else [x.transpose(0, 1) for x in given]
        close(each, -own(*turned, "none"))

    def test_best_paths_and_parameters(self, batch_first: bool):
        model, emissions, _, mask = self.example(batch_first)
        paths = model.decode(emissions, mask=mask)
        assert [len(path) for path in paths] == [4, 2]
        assert model.decode(emissions) == model.decode(emissions, torch.ones_like(mask))
        assert repr(model) == "CRF(num_tags=5)"
        names = {"transitions", "start_transitions", "end_transitions"}
        assert names == dict(model.named_parameters()).keys()
        strict = CRF(3, batch_first, constraints=crf.Constraints.bio(["O", "B-X", "I-X"]))
        wants_inside = torch.tensor([[[0.0, 0.0, 9.0]] * 2])
        path = strict.decode(wants_inside if batch_first else wants_inside.transpose(0, 1))
        assert path == [[1, 2]]

    def test_refusals(self, batch_first: bool):
        model, emissions, tags, mask = self.example(batch_first)
        for wrong in (
            lambda: CRF(0),
            lambda: model(emissions[0], tags, mask),
            lambda: model(emissions[:, :, :3], tags, mask),
            lambda: model(emissions, tags[:, :1], mask),
            lambda: model(emissions, tags, mask[:1]),
            lambda: model(emissions, tags, mask, reduction="foo"),
        ):
            with pytest.raises(ValueError, match="expected"):
                wrong()
