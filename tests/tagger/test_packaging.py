"""What one installs: the examples run, the packages are declared, a foreign crf is noticed."""

import ast
import runpy
import shutil
import sys
import tomllib

import pytest

from tests.tagger.conftest import ROOT, python

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_the_examples_run(capsys):
    for example, expected in (
        ("replace_pytorch_crf", "New/B-LOC York/I-LOC is/O far/O"),
        ("look_at_one_chain", "NOUN VERB NOUN   p = 0.713"),
    ):
        runpy.run_path(str(ROOT / "examples" / f"{example}.py"), run_name="__main__")
        assert expected in capsys.readouterr().out


def declared(*extras: str) -> set[str]:
    lists = [PROJECT["dependencies"], *(PROJECT["optional-dependencies"][e] for e in extras)]
    return {requirement.partition(">")[0] for one in lists for requirement in one}


def imported(paths) -> set[str]:
    names = set()
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names.add(node.module)
    return {name.partition(".")[0] for name in names} - set(sys.stdlib_module_names)


def test_the_library_needs_what_it_declares():
    optional = {"babel", "pooch", "triton", "jaxtyping", "anywidget", "traitlets", "pytest"}
    head = ROOT / "crf" / "huggingface.py"
    assert imported([head]) <= declared("transformers")
    core = [
        path for path in (ROOT / "crf").rglob("*.py") if "tagger" not in path.parts and path != head
    ]
    assert imported(core) - optional <= declared()
    alone = {"fetch.py", "hugging_face.py"}
    tagger = [path for path in (ROOT / "crf" / "tagger").glob("*.py") if path.name not in alone]
    assert imported(tagger) <= declared("tagger")
    foreign = ROOT / "crf" / "tagger" / "hugging_face.py"
    assert imported([foreign]) <= declared("tagger", "transformers")
    assert imported([ROOT / "crf" / "tagger" / "fetch.py"]) <= declared("tagger", "fetch")


def test_another_packages_crf_is_noticed(tmp_path):
    """pytorch-crf 0.7.2 puts a file of its own in place of ours."""
    shutil.copytree(
        ROOT / "crf", tmp_path / "crf", ignore=shutil.ignore_patterns("shipped", "__pycache__")
    )
    (tmp_path / "crf" / "__init__.py").write_text("class CRF: ...\n")
    done = python("-m", "crf", "tag", cwd=tmp_path)
    assert done.returncode == 2
    assert "crf/__init__.py is not ours but that of another package; run: pip" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_it_can_be_vendored_under_another_name_and_needs_torch_and_numpy_alone(tmp_path):
    """A copy inside another package, where nothing else is installed, imports nothing of ours."""
    (tmp_path / "their").mkdir()
    (tmp_path / "their" / "__init__.py").touch()
    ignored = shutil.ignore_patterns("tagger", "__pycache__")
    shutil.copytree(ROOT / "crf", tmp_path / "their" / "chains", ignore=ignored)
    optional = "triton jaxtyping pooch requests safetensors conllu regex tqdm streamlit pandas"
    code = f"""
import sys
sys.modules.update(dict.fromkeys({optional.split()}))
import torch
from their.chains import ChainCRF
import their.chains.compat, their.chains.trace
model, emissions = ChainCRF(3), torch.zeros(2, 3, 3)
model(emissions, torch.zeros(2, 3, dtype=torch.long)).backward()
assert len(model.decode(emissions)) == 2 and model.chain(emissions).sample(4).shape == (4, 2, 3)
assert not [name for name in sys.modules if name.partition(".")[0] == "crf"]
"""
    done = python("-W", "ignore:the compiled kernels", "-c", code, cwd=tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.thorough
def test_without_the_data_one_sentence_says_what_to_install(tmp_path):
    """A wheel has none; a tagger in a folder is used as before."""
    shutil.copytree(ROOT / "crf", tmp_path / "crf", ignore=shutil.ignore_patterns("__pycache__"))
    done = python("-m", "crf", "tag", cwd=tmp_path)
    assert done.returncode == 2
    assert "pip install ./assets/taggers" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    taggers = tmp_path / "elsewhere" / "crf_taggers"
    shutil.copytree(ROOT / "assets" / "taggers", taggers)
    code = f"""
import sys
sys.path.append({str(taggers.parent)!r})
from crf.tagger.bundled import data_folder, english_clusters, sample, shipped_names
assert str(data_folder()) == {str(taggers)!r} and len(shipped_names()) == 4
assert english_clusters() and sample("dev.conllu").exists()
"""
    done = python("-c", code, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    local = str(ROOT / "assets" / "taggers" / "shipped" / "local")
    done = python("-m", "crf", "tag", "--model", local, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
