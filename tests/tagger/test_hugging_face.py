"""A tiny model of transformers, made here: its first sub-tokens' scores, its table."""

import io
import json
import zipfile

import pytest
import safetensors.torch
import torch

from crf import ChainCRF
from crf.__main__ import main
from crf.tagger import ModelFileError, hugging_face, model_files

pytestmark = pytest.mark.thorough  # the package is large
transformers = pytest.importorskip("transformers", reason="transformers is not installed")
tokenizers = pytest.importorskip("tokenizers", reason="tokenizers is not installed")

LABELS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
PIECES = ["[UNK]", "[CLS]", "[SEP]", "[PAD]", "Ada", "in", "Par", "##is", "##a", "lives"]
WORDS = ["Ada", "lives", "in", "Parisa"]  # the last is Par, ##is, ##a


def tokenizer():
    words = tokenizers.models.WordPiece({p: k for k, p in enumerate(PIECES)}, unk_token="[UNK]")
    core = tokenizers.Tokenizer(words)
    core.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    ends = [("[CLS]", 1), ("[SEP]", 2)]
    core.post_processor = tokenizers.processors.TemplateProcessing("[CLS] $A [SEP]", None, ends)
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=core, unk_token="[UNK]", pad_token="[PAD]", cls_token="[CLS]"
    )


SIZES = {
    "vocab_size": len(PIECES),
    "hidden_size": 16,
    "num_hidden_layers": 1,
    "pad_token_id": 3,
    "num_attention_heads": 2,
    "intermediate_size": 16,
}


def saved(path, labels=LABELS, kind="Bert", positions=12):
    """A tiny model with random weights in a folder."""
    tokenizer().save_pretrained(path)
    torch.manual_seed(0)
    config = getattr(transformers, f"{kind}Config")(
        **SIZES,
        max_position_embeddings=positions,
        id2label=dict(enumerate(labels)),
        label2id={label: k for k, label in enumerate(labels)},
    )
    model = getattr(transformers, f"{kind}ForTokenClassification")(config)
    torch.nn.init.normal_(model.classifier.weight, std=2.0)
    model.save_pretrained(path)
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return saved(tmp_path_factory.mktemp("hf"))


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
    table = tagger.with_scheme()
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


@pytest.mark.parametrize(("kind", "positions"), [("Bert", 12), ("Roberta", 16), ("DistilBert", 12)])
def test_a_sentence_of_the_models_longest_length_works_and_one_more_is_refused(
    tmp_path, kind, positions
):
    """RoBERTa counts positions from the padding's index + 1: of 16 it can use 12."""
    tagger = hugging_face.load(saved(tmp_path, kind=kind, positions=positions))
    longest = ["Ada"] * 10  # with [CLS] and [SEP] 12
    assert tagger.chain([longest]).feasible.all()
    assert tagger.chain([longest, ["in"]]).marginals[1, 0].sum() == pytest.approx(1)
    with pytest.raises(ModelFileError, match="at most 12 sub-tokens, got 13"):
        tagger.chain([[*longest, "Ada"]])


CRF = {
    "crf.transitions": torch.randn(5, 5, generator=torch.Generator().manual_seed(1)),
    "crf.start_transitions": torch.tensor([0.5, 1.0, -2.0, 0.0, 0.0]),
    "crf.end_transitions": torch.tensor([0.0, -1.0, 1.0, 0.0, 0.0]),
}


def test_a_crf_on_top_keeps_its_own_transitions(tmp_path):
    """As people write it: a ChainCRF on top of a token classifier."""

    class BertWithCrf(transformers.BertPreTrainedModel):
        def __init__(self, config):
            super().__init__(config)
            self.bert = transformers.BertModel(config, add_pooling_layer=False)
            self.classifier = torch.nn.Linear(config.hidden_size, config.num_labels)
            self.crf = ChainCRF(config.num_labels)
            self.post_init()

    saved(tmp_path)
    model = BertWithCrf(transformers.AutoConfig.from_pretrained(tmp_path)).eval()
    for name, table in CRF.items():
        model.get_parameter(name).data.copy_(table)
    model.save_pretrained(tmp_path)
    with torch.no_grad():
        states = model.bert(input_ids=torch.tensor([[1, 4, 9, 5, 6, 7, 8, 2]])).last_hidden_state
        expected = model.crf.chain(model.classifier(states)[:, 1:5])
    opened = model_files.load_folder(tmp_path)
    assert [one.about for one in opened] == ["own transitions, BIO table", "its own transitions"]
    chain = opened[-1].tagger.chain([WORDS])
    assert chain.log_partition.item() == pytest.approx(expected.log_partition.item(), abs=1e-4)
    assert torch.allclose(chain.marginals, expected.marginals.float(), atol=1e-5)


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
def test_what_is_refused_and_why(tmp_path, changes, reason):
    file = saved(tmp_path) / "config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | changes))
    with pytest.raises(ModelFileError, match=reason):
        hugging_face.load(tmp_path)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (
            lambda held: {f"model.{k}": v for k, v in held.items()},
            r"lacks bert.*classifier.*instead|lacks bert.* more.*it has model\.bert",
        ),
        (
            lambda held: {k: v for k, v in held.items() if "classifier" not in k},
            "lacks classifier.bias, classifier.weight, so the model would tag at random",
        ),
        (
            lambda held: held | {"lstm.weight_ih_l0": torch.zeros(64, 16)},
            "holds lstm.weight_ih_l0, which the architecture",
        ),
        (lambda held: held | {"crf.transitions": torch.zeros(5, 5)}, "start_transitions"),
        (lambda held: held | CRF | {"crf.transitions": torch.zeros(4, 4)}, r"\(5, 5\)"),
        (lambda held: held | CRF | {"crf.end_transitions": torch.full((5,), torch.nan)}, "nan"),
    ],
)
def test_weights_that_are_missing_or_would_not_be_used_are_named(tmp_path, change, reason):
    file = saved(tmp_path) / "model.safetensors"
    safetensors.torch.save_file(change(safetensors.torch.load_file(file)), file, {"format": "pt"})
    with pytest.raises(ModelFileError, match=reason):
        hugging_face.load(tmp_path)


@pytest.mark.parametrize(
    ("labels", "scheme"),
    [
        (["O", "B-PER", "I-PER"], "BIO"),
        (["O", "I-PER", "I-LOC"], None),  # IO: everything may follow everything
        (["O", "I-PER", "B-LOC", "I-LOC"], "IOB1"),  # a name may begin with I-
        (["O", "S-PER", "B-PER", "I-PER", "E-PER"], "BIOES"),
        (["NOUN", "VERB"], None),
    ],
)
def test_the_default_table_is_that_of_the_models_labels(tmp_path, labels, scheme):
    opened = model_files.load_folder(saved(tmp_path, labels))
    tables = ["no transitions", *([f"{scheme} table"] if scheme else [])]
    assert [one.about for one in opened] == tables
    tagger, inside = opened[-1].tagger, labels.index("I-PER") if "I-PER" in labels else 0
    begins = tagger.chain([WORDS]).clamp(torch.tensor([[0, inside, -1, -1]])).feasible.item()
    assert begins == (scheme not in ("BIO", "BIOES"))


def test_a_zip_from_a_mac_and_the_command_line(folder, tmp_path, capsys):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for file in folder.iterdir():
            archive.writestr(f"model/{file.name}", file.read_bytes())
            archive.writestr(f"__MACOSX/model/._{file.name}", b"\0\5\x16\7")
    opened = model_files.load_upload({"model.zip": packed.getvalue()})
    assert opened[-1].tagger.tags == tuple(LABELS)
    text = tmp_path / "text"
    text.write_text("Ada lives in Parisa\n\nAda\n")
    assert main(["tag", str(text), "--model", str(folder), "--json"]) == 0
    said = capsys.readouterr()
    best = opened[-1].tagger.chain([WORDS]).viterbi()
    tags = [LABELS[k] for k in best.tags[0].tolist()]
    assert json.loads(said.out.splitlines()[0])["tags"] == tags
    assert "tagged with BIO table" in said.err
    gold = tmp_path / "gold.iob2"
    rows = [f"{k}\t{w}\t{t}\t-\t-\n" for k, (w, t) in enumerate(zip(WORDS, tags, strict=True), 1)]
    gold.write_text("".join(rows) + "\n")
    assert main(["evaluate", str(gold), "--model", str(folder), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["span_f1"] == (1.0 if "B" in str(tags) else 0.0)
