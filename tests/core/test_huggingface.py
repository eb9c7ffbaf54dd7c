"""The head for Hugging Face's models, on a tiny random BERT and a word-piece file made here."""

import pytest
import torch

import crf

transformers = pytest.importorskip("transformers", reason="transformers is not installed")
pytestmark = [pytest.mark.thorough, pytest.mark.filterwarnings("ignore")]  # transformers' own

LABELS = ["O", "B-PER", "I-PER"]
VOCAB = "[PAD] [UNK] [CLS] [SEP] [MASK] Ada Love ##lace met Charles Bab ##bage .".split()
TEXTS = ["Ada Lovelace met Charles.", "Charles Babbage met Ada Lovelace."]
GOLD = [[1, 2, 0, 1, 0], [1, 2, 0, 1, 2, 0]]


@pytest.fixture
def tokenizer():
    vocab = {word: index for index, word in enumerate(VOCAB)}
    return transformers.BertTokenizerFast(vocab=vocab, do_lower_case=False)


@pytest.fixture
def model():
    from crf.huggingface import TokenTagger

    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=len(VOCAB), hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=32, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0,
    )  # fmt: skip
    return TokenTagger.from_encoder(transformers.BertModel(config), LABELS)


def encoded(tokenizer):
    """The texts with labels at first sub-words, as everyone aligns them."""
    read = tokenizer(TEXTS, padding=True, return_tensors="pt")
    labels = torch.full_like(read["input_ids"], -100)
    for b, gold in enumerate(GOLD):
        seen = set()
        for cell, word in enumerate(read.word_ids(b)):
            if word is not None and word not in seen:
                labels[b, cell] = gold[word]
                seen.add(word)
    return read, labels


def trained(model, tokenizer):
    read, labels = encoded(tokenizer)
    optimiser = torch.optim.Adam(model.parameters(), lr=0.02)
    for _ in range(60):
        optimiser.zero_grad()
        model(**read, labels=labels).loss.backward()  # with token_type_ids
        optimiser.step()
    return model.eval()


def test_trained_evaluated_saved_loaded_and_used(model, tokenizer, tmp_path):
    from crf.huggingface import TokenTagger

    read, labels = encoded(tokenizer)
    model.train()
    assert model(**read, labels=labels).paths is None
    output = trained(model, tokenizer)(**read, labels=labels)
    chain = model.crf.chain(output.logits, labels != -100)
    assert torch.allclose(output.loss, -chain.log_prob(labels.clamp(min=0)).mean())
    assert torch.equal(output.paths, labels)  # it has learnt the two texts
    model.save_pretrained(tmp_path / "model")
    loaded = TokenTagger.from_pretrained(tmp_path / "model").eval()
    for name, value in model.state_dict().items():
        assert torch.equal(loaded.state_dict()[name], value), name
    assert torch.equal(loaded.crf.constraints.transitions, crf.Constraints.bio(LABELS).transitions)
    for text, gold, tagged in zip(TEXTS, GOLD, loaded.tag(TEXTS, tokenizer), strict=True):
        assert tagged.labels == [LABELS[tag] for tag in gold]
        assert tagged.words == text.replace(".", " .").split()
        for name in tagged.names:
            assert text[name.start : name.end] == name.text
            assert 0.5 < name.probability <= 1
    assert [name.text for name in tagged.names] == ["Charles Babbage", "Ada Lovelace"]
    words = [text.replace(".", " .").split() for text in TEXTS]
    by_words = loaded.tag(words, tokenizer)
    assert [one.labels for one in by_words] == [one.labels for one in loaded.tag(TEXTS, tokenizer)]
    assert by_words[1].names[1].text == "Ada Lovelace"
    more = loaded.tag(TEXTS, tokenizer, threshold=0.0)
    assert len(more[0].names) > 2


def test_evaluation_has_the_paths_and_not_the_argmax(model, tokenizer):
    """An emission for I-PER everywhere: BIO makes the first label B-PER, an argmax would not."""
    read, labels = encoded(tokenizer)
    with torch.no_grad():
        model.classifier.weight.zero_()
        model.classifier.bias.copy_(torch.tensor([0.0, 0.0, 9.0]))
    output = model.eval()(**read, labels=labels.clamp(max=0))
    assert (output.logits.argmax(-1) == 2).all()
    assert output.paths[0][labels[0] >= 0].tolist() == [1, 2, 2, 2, 2]
    assert (output.paths[labels < 0] == -100).all()


def test_trainer_measures_the_paths(model, tokenizer, tmp_path):
    from crf.huggingface import best_paths

    pytest.importorskip("accelerate", reason="accelerate is not installed")
    read, labels = encoded(tokenizer)
    rows = [{k: v[b] for k, v in read.items()} | {"labels": labels[b]} for b in range(2)]
    seen = {}

    def metrics(p):
        seen["predictions"] = p.predictions
        right = (p.predictions == p.label_ids)[p.label_ids != -100]
        return {"accuracy": right.mean()}

    arguments = transformers.TrainingArguments(
        str(tmp_path), num_train_epochs=40, learning_rate=0.02, report_to=[], use_cpu=True,
        disable_tqdm=True, save_strategy="no", per_device_eval_batch_size=1,
    )  # fmt: skip
    trainer = transformers.Trainer(
        model, arguments, train_dataset=rows, eval_dataset=rows, compute_metrics=metrics,
        preprocess_logits_for_metrics=best_paths,
    )  # fmt: skip
    trainer.train()
    assert trainer.evaluate()["eval_accuracy"] == 1.0
    assert seen["predictions"].shape == labels.shape


def test_exported(model, tokenizer, tmp_path):
    """Best paths as a graph, for ONNX; batch and length are free."""
    trained(model, tokenizer)
    read, labels = encoded(tokenizer)
    first = labels != -100

    class Paths(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = model.eval()

        def forward(self, input_ids, attention_mask, first):
            return self.model(input_ids, attention_mask, first=first).paths

    given = read["input_ids"], read["attention_mask"], first
    graph = torch.export.export(Paths(), given)
    assert torch.equal(graph.module()(*given), Paths()(*given))
    pytest.importorskip("onnxscript", reason="onnxscript is not installed")
    runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    file = tmp_path / "paths.onnx"
    names = ["input_ids", "attention_mask", "first"]
    B, L = torch.export.Dim("B"), torch.export.Dim("L")
    free = tuple({0: B, 1: L} for _ in names)
    torch.onnx.export(
        Paths(), given, file, dynamo=True, input_names=names, dynamic_shapes=free, verbose=False
    )
    session = runtime.InferenceSession(file)
    for part in (given, [x[:1, :6] for x in given]):
        (found,) = session.run(None, dict(zip(names, (x.numpy() for x in part), strict=True)))
        assert torch.equal(torch.from_numpy(found), Paths()(*part))
