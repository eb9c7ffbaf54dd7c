"""A tiny model of transformers, made here: its first sub-tokens' scores, its table."""

import json

import pytest
import torch

from crf.tagger import ModelFileError, hugging_face

transformers = pytest.importorskip("transformers", reason="transformers is not installed")
tokenizers = pytest.importorskip("tokenizers", reason="tokenizers is not installed")

LABELS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
PIECES = ["[UNK]", "[CLS]", "[SEP]", "[PAD]", "Ada", "in", "Par", "##is", "##a", "lives"]
WORDS = ["Ada", "lives", "in", "Parisa"]  # the last is Par, ##is, ##a


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("hf")
    words = tokenizers.models.WordPiece({p: k for k, p in enumerate(PIECES)}, unk_token="[UNK]")
    core = tokenizers.Tokenizer(words)
    core.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    ends = [("[CLS]", 1), ("[SEP]", 2)]
    core.post_processor = tokenizers.processors.TemplateProcessing("[CLS] $A [SEP]", None, ends)
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=core, unk_token="[UNK]", pad_token="[PAD]", cls_token="[CLS]"
    ).save_pretrained(path)
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=len(PIECES), hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=16, max_position_embeddings=12, id2label=dict(enumerate(LABELS)),
        label2id={label: k for k, label in enumerate(LABELS)},
    )  # fmt: skip
    model = transformers.BertForTokenClassification(config)
    torch.nn.init.normal_(model.classifier.weight, std=2.0)
    model.save_pretrained(path)
    return path


def changed(folder, tmp_path, **changes):
    for file in folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    config = json.loads((folder / "config.json").read_text()) | changes
    (tmp_path / "config.json").write_text(json.dumps(config))
    return tmp_path


def test_emissions_are_those_of_each_words_first_piece(folder):
    tagger = hugging_face.load(folder)
    assert tagger.tags == tuple(LABELS)
    ids = torch.tensor([[1, 4, 9, 5, 6, 7, 8, 2]])  # [CLS] Ada lives in Par ##is ##a [SEP]
    model = transformers.AutoModelForTokenClassification.from_pretrained(folder).eval()
    with torch.no_grad():
        scores = model(input_ids=ids).logits[0]
    chain = tagger.chain([WORDS, [], WORDS[:1]])
    assert torch.allclose(chain.potentials.emissions[0].float(), scores[1:5], atol=1e-5)
    assert chain.potentials.mask.sum(1).tolist() == [4, 0, 1]
    assert torch.equal(chain.greedy()[0], scores[1:5].argmax(1))
    assert tagger.unknown(["Ada", "Berlin"]) == [False, True]


def test_the_table_of_bio_mends_what_the_best_labels_break(folder):
    tagger = hugging_face.load(folder)
    table = tagger.with_bio_table()
    assert tagger.chain([WORDS]).feasible.all()
    for seed in range(20):  # some weights make an invalid best label
        torch.manual_seed(seed)
        torch.nn.init.normal_(tagger.model.classifier.weight, std=2.0)
        best = tagger.chain([WORDS]).viterbi().tags
        assert torch.equal(best, tagger.chain([WORDS]).greedy())
        if table.chain([WORDS]).score(best).isinf():
            break
    else:
        pytest.fail("no weights gave an invalid labelling")
    assert table.chain([WORDS]).viterbi().scores.isfinite().all()


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"auto_map": {"AutoModel": "x.Y"}}, "not run here"),
        ({"architectures": ["BertModel"]}, "token classification"),
        ({"id2label": {str(k): f"L{k}" for k in range(10_000)}}, "10,000"),
        ({"id2label": {"0": "A", "1": "A"}}, "differ"),
        ({"hidden_size": 60_000}, "weights"),
        ({"model_type": "no-such"}, "cannot be read"),
    ],
)
def test_what_is_refused_and_why(folder, tmp_path, changes, reason):
    with pytest.raises(ModelFileError, match=reason):
        hugging_face.load(changed(folder, tmp_path, **changes))


def test_damaged_files(folder, tmp_path):
    changed(folder, tmp_path)
    (tmp_path / "model.safetensors").write_bytes(b"x" * 100_000)
    with pytest.raises(ModelFileError, match="cannot be read"):
        hugging_face.load(tmp_path)


def test_a_sentence_that_is_too_long(folder):
    with pytest.raises(ModelFileError, match="at most 12 sub-tokens"):
        hugging_face.load(folder).chain([["Ada"] * 20])
