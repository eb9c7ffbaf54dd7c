"""What may stand after `--` when the app is started."""

import pytest
import torch

from crf.tagger.bundled import shipped
from pages.shared.course import start_options

APP = str(start_options.APP)


def test_taggers_are_given_in_order_and_once(tmp_path):
    for name in "ab":
        (tmp_path / name).mkdir()
        for file in ("tagger.json", "weights.safetensors"):
            (tmp_path / name / file).write_bytes((shipped("local") / file).read_bytes())
    a, b = str(tmp_path / "a"), str(tmp_path / "b")
    options = start_options.read([APP, "--tagger", b, "--tagger", a, "--tagger", b])
    assert [(str(one.path), one.fault) for one in options.taggers] == [(b, ""), (a, "")]
    assert [len(one.models[0].tagger.tags) for one in options.taggers] == [17, 17]


def test_a_bad_folder_is_a_sentence_and_no_crash(tmp_path, capsys):
    (tmp_path / "pytorch_model.bin").touch()
    missing, altered = str(tmp_path / "nowhere"), tmp_path / "altered"
    altered.mkdir()
    for file in ("tagger.json", "weights.safetensors"):
        (altered / file).write_bytes((shipped("local") / file).read_bytes()[:-9])
    folders = [missing, str(tmp_path), str(altered)]
    options = start_options.read([APP, *(w for folder in folders for w in ("--tagger", folder))])
    assert "No such file or directory" in options.taggers[0].fault
    assert "safetensors.torch.save_file" in options.taggers[1].fault
    assert "not JSON" in options.taggers[2].fault  # the whole model is checked, not its names
    assert capsys.readouterr().err.splitlines() == [one.fault for one in options.taggers]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--taggers", "x"], "unrecognized arguments: --taggers"),
        (["--store", "x"], "add --class"),
        (["--public-url", "x"], "expected http://"),
        (["--embed-from", "x"], "expected https://HOST"),
        (["--device", "mps"], "here; use --device cpu"),
    ],
)
def test_what_cannot_be_ends_the_start_with_a_sentence(capsys, words, message):
    with pytest.raises(SystemExit):
        start_options.read([APP, *words])
    assert message in capsys.readouterr().err


def test_the_device_is_the_one_given_and_words_of_another_program_are_not_ours():
    assert start_options.read([APP]).device == "cpu"
    there = "cuda" if torch.cuda.is_available() else "cpu"
    assert start_options.read([APP, "--device", "auto"]).device == there
    assert start_options.read(["/usr/bin/uvicorn", "app:app"]) == start_options.StartOptions()
