"""The recipe for BERT runs as docs/recipes.md has it, on a tiny model that is made here."""

from pathlib import Path

import pytest
import torch

import crf

RECIPES = Path(__file__).parents[2] / "docs" / "recipes.md"
LABEL2ID = {"I-PER": 2, "O": 0, "B-PER": 1}  # in any order
# sub-words:  [CLS]  Ada  Love  ##lace  met  [SEP] [PAD]
LABELS = torch.tensor([[-100, 1, 2, -100, 0, -100, -100], [-100, 0, 0, 1, 2, 0, -100]])


@pytest.fixture
def recipe():
    """The class of the recipe, and a configuration for it."""
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    text = RECIPES.read_text(encoding="utf-8")
    code = text[text.index("from crf import", text.index("## Put it on BERT")) :]
    names = {"torch": torch, "__name__": "recipe"}
    exec(code[: code.index("```")], names)
    config = transformers.BertConfig(
        vocab_size=30,
        hidden_size=8,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        label2id=LABEL2ID,
        id2label={i: x for x, i in LABEL2ID.items()},
    )
    return names["BertCRF"], config


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore")  # transformers' own
class TestBert:
    ids = torch.randint(30, LABELS.shape, generator=torch.Generator().manual_seed(0))
    mask = torch.tensor([[1] * 6 + [0], [1] * 7])

    def test_trained_saved_loaded_and_decoded(self, recipe, tmp_path: Path):
        make, config = recipe
        model = make(config)
        optimiser = torch.optim.Adam(model.parameters(), lr=0.05)
        losses = []
        for _ in range(40):
            loss = model(self.ids, self.mask, LABELS).loss
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            losses.append(loss.item())
        assert losses[-1] < losses[0] / 2
        model.eval().save_pretrained(tmp_path)
        loaded = make.from_pretrained(tmp_path).eval()
        for name, value in model.state_dict().items():
            assert torch.equal(loaded.state_dict()[name], value)
        found = loaded.decode(self.ids, self.mask, LABELS)
        assert found == model.decode(self.ids, self.mask, LABELS)
        assert [len(path) for path in found] == [3, 5]
        self.holds(loaded)

    def test_a_new_crf_on_a_saved_network(self, recipe, tmp_path: Path):
        make, config = recipe
        model = make(config)
        state = {k: v for k, v in model.state_dict().items() if not k.startswith("crf.")}
        model.save_pretrained(tmp_path, state_dict=state)
        loaded = make.from_pretrained(tmp_path)
        for name, parameter in loaded.crf.named_parameters():
            assert 0 < parameter.abs().max() <= 0.1, name
        self.holds(loaded)

    def holds(self, model):
        """The constraints are BIO's."""
        wants_inside = torch.tensor([[[0.0, 0.0, 9.0]] * 2])
        assert model.crf.decode(wants_inside)[0][0] == 1
        same = crf.Constraints.bio(["O", "B-PER", "I-PER"])
        assert torch.equal(model.crf.constraints.transitions, same.transitions)
        with pytest.raises(ValueError, match="forbidden start"):
            model.crf(wants_inside, torch.tensor([[2, 2]]))
