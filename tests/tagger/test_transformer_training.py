"""`crf train --encoder`: a tiny network of transformers under the CRF, and the same commands."""

import json

import pytest
import torch

from crf.tagger import ModelFileError, Sentence, TaggingDataset
from tests.tagger.conftest import run

pytestmark = pytest.mark.thorough  # the package is large
transformers = pytest.importorskip("transformers", reason="transformers is not installed")
tokenizers = pytest.importorskip("tokenizers", reason="tokenizers is not installed")

DATA = TaggingDataset(
    Sentence((who, "lives", "in", *place), ("B-PER", "O", "O", *labels))
    for who in ("Ada", "Bob")
    for place, labels in ((("Ulm",), ("B-LOC",)), (("New", "York"), ("B-LOC", "I-LOC")))
)
PIECES = "[UNK] [CLS] [SEP] [PAD] Ada Bob lives in Ul ##m New York".split()


@pytest.fixture(scope="module")
def network(tmp_path_factory):
    """A network without a layer for tags, as one downloads it."""
    folder = tmp_path_factory.mktemp("network")
    pieces = {piece: n for n, piece in enumerate(PIECES)}
    core = tokenizers.Tokenizer(tokenizers.models.WordPiece(pieces, unk_token="[UNK]"))
    core.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    ends = [("[CLS]", 1), ("[SEP]", 2)]
    core.post_processor = tokenizers.processors.TemplateProcessing("[CLS] $A [SEP]", None, ends)
    names = {"unk_token": "[UNK]", "pad_token": "[PAD]", "cls_token": "[CLS]"}
    transformers.PreTrainedTokenizerFast(tokenizer_object=core, **names).save_pretrained(folder)
    torch.manual_seed(0)
    sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
    config = transformers.BertConfig(
        vocab_size=len(PIECES),
        pad_token_id=3,
        intermediate_size=16,
        max_position_embeddings=12,
        **sizes,
    )
    transformers.BertModel(config).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    path = tmp_path_factory.mktemp("names") / "names.jsonl"
    path.write_text("\n".join(json.dumps({"tokens": s.words, "tags": s.tags}) for s in DATA))
    return path


def test_train_evaluate_and_tag(capsys, network, names, tmp_path):
    out_dir = tmp_path / "out"
    options = ["--encoder", network, "--output", out_dir, "--lr", "0.005", "--epochs", "40"]
    options += ["--batch-size", "2", "--patience", "40"]
    code, out, err = run(capsys, "train", names, names, *options)
    assert code == 0, err
    assert "F1 100.00 %" in out, out
    assert "epoch 1: loss" in err
    code, out, _ = run(capsys, "evaluate", names, "--model", out_dir, "--json")
    assert (code, json.loads(out)["span_f1"]) == (0, 1)
    text = tmp_path / "text"
    text.write_text("Bob lives in New York\n")
    _, out, _ = run(capsys, "tag", text, "--model", out_dir)
    assert out == "Bob/B-PER lives/O in/O New/B-LOC York/I-LOC\n"
    _, out, _ = run(capsys, "tag", text, "--model", out_dir, "--format", "spans")
    assert [(s["start"], s["end"]) for s in json.loads(out)["spans"]] == [(0, 3), (13, 21)]


def test_what_is_saved_is_what_was_measured_and_forbids_what_the_scheme_forbids(network, tmp_path):
    from crf.tagger import hugging_face
    from crf.tagger.transformer_training import EncoderSettings, save, train

    before = torch.get_rng_state()
    tagger, history = train(network, DATA, DATA, EncoderSettings(epochs=2, learning_rate=0.01))
    assert torch.equal(torch.get_rng_state(), before)
    assert len(history) == 2
    save(tagger, tmp_path)
    again = hugging_face.load(tmp_path)
    words = [sentence.words for sentence in DATA]
    assert torch.allclose(again.chain(words).marginals, tagger.chain(words).marginals, atol=1e-6)
    outside, inside = again.tags.index("O"), again.tags.index("I-LOC")
    assert again.tables[0][outside, inside] == -torch.inf
    repeated, _ = train(network, DATA, DATA, EncoderSettings(epochs=2, learning_rate=0.01))
    assert torch.equal(repeated.tables[0], tagger.tables[0])


def test_what_cannot_be_trained_is_refused(capsys, network, names, tmp_path):
    from crf.tagger.transformer_training import EncoderSettings, train

    long = TaggingDataset([Sentence(("Ulm",) * 6, ("O",) * 6)])
    with pytest.raises(ModelFileError, match="at most 12 sub-tokens, got 14: Ulm Ulm"):
        train(network, TaggingDataset([*DATA, *long]), DATA, EncoderSettings())
    given = ["train", names, names, "--output", tmp_path / "out", "--encoder"]
    code, _, err = run(capsys, *given, tmp_path)
    assert (code, "expected a folder with config.json" in err) == (2, True), err
    code, _, err = run(capsys, *given, network, "--hidden", "8")
    assert (code, "--hidden: expected no such option with --encoder" in err) == (2, True)
