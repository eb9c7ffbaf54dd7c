"""What may stand after `--` when the app is started."""

import pytest

from pages.shared.course import start_options

APP = str(start_options.APP)


@pytest.fixture(autouse=True)
def started(monkeypatch):
    monkeypatch.setattr(start_options, "_given", [])


def test_taggers_are_given_in_order_and_once(tmp_path):
    for name in "ab":
        (tmp_path / name).mkdir()
        for file in ("tagger.json", "weights.safetensors"):
            (tmp_path / name / file).touch()
    a, b = str(tmp_path / "a"), str(tmp_path / "b")
    options = start_options.read([APP, "--tagger", b, "--tagger", a, "--tagger", b])
    assert [(str(one.path), one.fault) for one in options.taggers] == [(b, ""), (a, "")]
    assert start_options.given() is options


def test_a_bad_folder_is_a_sentence_and_no_crash(tmp_path, capsys):
    (tmp_path / "pytorch_model.bin").touch()
    missing = str(tmp_path / "nowhere")
    options = start_options.read([APP, "--tagger", missing, "--tagger", str(tmp_path)])
    assert "No such file or directory" in options.taggers[0].fault
    assert "safetensors.torch.save_file" in options.taggers[1].fault
    assert capsys.readouterr().err.splitlines() == [one.fault for one in options.taggers]


def test_what_does_not_exist_ends_the_start(capsys):
    with pytest.raises(SystemExit):
        start_options.read([APP, "--taggers", "x"])
    assert "unrecognized arguments: --taggers" in capsys.readouterr().err


def test_words_of_another_program_are_not_ours():
    assert start_options.read(["/usr/bin/uvicorn", "app:app"]) == start_options.StartOptions()
