"""The command line: `python -m crf fetch|train|evaluate|tag|show|doctor`; each has `--help`."""

import argparse
import errno
import importlib.util
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any, TextIO

from .tagger.decoders import DECODERS

EXAMPLE = """\
From nothing to a tagger of your own:
  python -m crf fetch ud-english-ewt --directory data
  python -m crf train data/en_ewt-ud-train.conllu data/en_ewt-ud-dev.conllu --output my-tagger \
    --language en
  python -m crf evaluate data/en_ewt-ud-dev.conllu --model my-tagger
  echo "Time flies like an arrow." | python -m crf tag --model my-tagger
  python -m crf show "They can fish." --figure viterbi --output fish.html
Names instead of parts of speech:
  python -m crf train train.iob2 dev.iob2 --output my-names
  echo "Marie Curie was born in Warsaw." | python -m crf tag --model ner
On two processes, each with half of every batch:
  torchrun --nproc-per-node 2 -m crf train TRAIN DEV --output my-tagger
"""


_ANOTHER = (
    "the module crf beside this file is not ours, or lacks a part; pytorch-crf up to 0.7.2 brings "
    "a stray crf/__init__.py: install linear-chain-crf again, with --force-reinstall"
)


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1, got {text!r}")
    return int(text)


def _size(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"expected a whole number from 0, got {text!r}")
    return int(text)


def _path(metavar: str, **more: Any) -> dict[str, Any]:
    return {"type": Path, "metavar": metavar, **more}


def _text(metavar: str, default: str = "") -> dict[str, Any]:
    return {"default": default, "metavar": metavar}


def _among(*choices: str, **more: Any) -> dict[str, Any]:
    return {"choices": choices, **more}


def _number(metavar: str, kind: Callable[[str], float]) -> dict[str, Any]:
    return {"type": kind, "metavar": metavar}


_FLAG: dict[str, Any] = {"action": "store_true"}
CommandOption = tuple[str, str, dict[str, Any]]  # its name, its help, how it is read
Groups = Mapping[str, Sequence[CommandOption]]  # by title; "": the command's own

# fmt: off
_TAGGED = "CoNLL-U, columns or JSON lines; may be gzipped"
_HOW_READ = "how files are read (default: as their content says)"
_ENCODING: CommandOption = ("--encoding", "of the text (default: utf-8)", _text("NAME", "utf-8"))
_WORDS: CommandOption = (
    "--words", "column that holds the words: a number, a name, or a key of JSON objects "
    "(default: the first that holds no numbers and no labels)", _text("N|NAME"),
)
_READING: list[CommandOption] = [
    ("--column", "column that holds the labels: XPOS, FEATS, MISC:NER, …, a number, or the key of "
     "a JSON list", _text("NAME")),
    _WORDS,
    ("--labels", "for labels that are numbers, in order: O,B-PER,… or a file with one on each line",
     _text("NAMES")),
    ("--scheme", "IO, IOB1, BIO (IOB2), BIOES, BILOU, BMES, or none for plain tags", _text("NAME")),
    ("--repair", "read labels that break their scheme as conlleval does, instead of refusing them",
     _FLAG),
    _ENCODING,
]
_DEVICE: list[CommandOption] = [
    ("--device", "where the network computes; auto: a CUDA GPU if there is one; mps: Apple’s GPU",
     _among("auto", "cpu", "cuda", "mps", default="auto")),
    ("--threads", "default: 1", _number("N", _count) | {"default": 1}),
]
_MODEL: list[CommandOption] = [
    ("--model", "the tagger: a directory that `train` wrote; a Hugging Face folder; "
     "or one that comes with the package: bilstm (the default), local, ner, ner-softmax",
     _text("DIR", "bilstm")),
    *_DEVICE,
]
_DECODER: CommandOption = (
    "--decoder", "how tags are chosen (default: viterbi, the most probable path)",
    _among(*DECODERS, default="viterbi"),
)
_TRAIN: Groups = {
    "": [
        ("train", _TAGGED, _path("TRAIN")),
        ("dev", "file that chooses the epoch", _path("DEV")),
        ("--output", "where the tagger goes", _path("DIR", required=True)),
        ("--task", "settings for parts of speech or for names (default: by the labels)",
         _among("auto", "pos", "ner", default="auto")),
        ("--tokeniser", "how the tagger splits a text: at Unicode's word boundaries (the default), "
         "as English treebanks do (with --language en), or at spaces",
         _among("unicode", "english", "spaces")),
        ("--language", "of the sentences: en, de, …; of English the tagger knows word clusters",
         _text("CODE")),
        ("--licence", "of the sentences, for the card", _text("TEXT")),
        ("--hints", "CoNLL-U file with the sentences of TRAIN: the encoder learns its other "
         "columns too", _path("FILE")),
        ("--quiet", "say nothing while it trains", _FLAG),
        *_DEVICE,
    ],
    _HOW_READ: _READING,
    "which model": [
        ("--plain", "the textbook's: word embedding, one BiLSTM, linear layer, CRF, plain Adam",
         _FLAG),
        ("--local", "no LSTM: each emission sees its own word only", _FLAG),
        ("--softmax", "no transitions: each tag chosen by itself", _FLAG),
        ("--unconstrained", "a CRF that may learn any label sequence", _FLAG),
        ("--twin-of", "with --softmax: put the figures into the card of this tagger, trained alike",
         _path("DIR")),
    ],
    "sizes (0 switches a feature off)": [
        ("--embedding", "size of a word's vector", _number("N", _size)),
        ("--affixes", "size of an affix's vector", _number("N", _size)),
        ("--characters", "filters of the character convolution", _number("N", _size)),
        ("--hidden", "LSTM units per direction", _number("N", _size)),
        ("--layers", "of the LSTM", _number("N", _size)),
    ],
    "how to train (default: the settings found best)": [
        ("--epochs", "passes over TRAIN, at most", _number("N", _count)),
        ("--patience", "stop after N epochs without a better one", _number("N", _count)),
        ("--batch-size", "sentences per step, of each process", _number("N", _count)),
        ("--lr", "learning rate of Adam", _number("RATE", float)),
        ("--dropout", "from 0 to below 1", _number("SHARE", float)),
        ("--seed", "of initial weights, order of the data and dropout (default: 0)",
         _number("N", _size)),
        ("--bf16", "the network in bfloat16; the CRF stays in float32", _FLAG),
    ],
}
_EVALUATE: Groups = {
    "": [
        ("file", _TAGGED, _path("FILE")),
        *_MODEL,
        ("--constraints", "forbid at decoding what this scheme forbids, whatever the tagger was "
         "trained with", _among("bio", "bioes", "bilou", "bmes")),
        _DECODER,
        ("--json", "one line of JSON; shares are 0 to 1", _FLAG),
    ],
    _HOW_READ: _READING,
}
_TAG: Groups = {"": [
    ("file", "default: standard input", _path("FILE", nargs="?")),
    *_MODEL,
    ("--output", "default: standard output", _path("FILE")),
    ("--format", "word/TAG pairs (the default); a line of JSON with tokens, tags, offsets, "
     "log_prob in nats, and entities with their probabilities; columns; CoNLL-U",
     _among("text", "json", "columns", "conllu", default="text")),
    ("--json", "the same as --format json", _FLAG),
    _DECODER,
    ("--input", "what FILE is, where its content does not say it (default: auto, as crf evaluate "
     "recognises it, else text); text: a sentence on each line; the others are split into words",
     _among("auto", "text", "tokenised", "columns", "conllu", "jsonl", default="auto")),
    ("--tokenised", "the words of each line stand between spaces", _FLAG),
    _WORDS,
    _ENCODING,
]}
_SHOW: Groups = {"": [
    ("text", "one sentence, in quotes", {"metavar": "TEXT"}),
    *_MODEL,
    ("--figure", "flow: all readings at once (the default); forward, backward, viterbi: step "
     "by step",
     _among("flow", "forward", "backward", "viterbi", "marginals", "scores", default="flow")),
    ("--output", "ends in .html", _path("FILE", required=True)),
]}
_FETCH: Groups = {"": [
    ("name", "ud-english-ewt", {"metavar": "NAME"}),
    ("--directory", "where to (default: the user's cache)", _path("DIR")),
]}
# fmt: on

COMMANDS: dict[str, tuple[str, str, Groups]] = {  # each with a summary, and what more there is
    "train": (
        "Train a tagger on tagged sentences",
        "Takes about ten minutes for UD English EWT on one CPU core. A run that was stopped goes "
        "on from its last whole epoch when the same command is given again. Under torchrun, each "
        "process takes its share of every batch.",
        _TRAIN,
    ),
    "evaluate": (
        "Compare a tagger with tagged sentences",
        "Prints the share of tokens, of whole sentences and of unknown words tagged right, and the "
        "mean negative log-likelihood of a sentence's gold tags in nats; for names precision, "
        "recall and F1 of exact spans, and how many labels break their scheme; then the same for "
        "each tag or type. A tag that the tagger has never seen counts as wrong.",
        _EVALUATE,
    ),
    "tag": (
        "Tag text, or sentences that are split into words",
        "Standard input is answered as it comes. With --output, a run that was stopped goes on "
        "where it was.",
        _TAG,
    ),
    "lab": ("Check an implementation of your own, cell by cell", "", {}),  # has its own table
    "show": (
        "Draw a sentence's chain",
        "Writes one HTML file that works offline and can be put into a page in an iframe.",
        _SHOW,
    ),
    "fetch": ("Download a treebank, with its checksums verified", "", _FETCH),
    "doctor": (
        "Say which code computes here, and why",
        "The results are the same with each engine; the kernels in C take less time.",
        {},
    ),
}


def parser() -> argparse.ArgumentParser:
    """The arguments of all commands."""
    from .lab.command import add_arguments

    top = argparse.ArgumentParser(
        prog="python -m crf",
        description="Train, measure and use a tagger with a CRF: parts of speech, or names.",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"%(prog)s {_version()}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, (summary, details, groups) in COMMANDS.items():
        to = commands.add_parser(name, help=summary, description=f"{summary}. {details}")
        for title, options in groups.items():
            place = to.add_argument_group(title) if title else to
            for option, text, how in options:
                place.add_argument(option, help=text, **how)
    add_arguments(commands.choices["lab"])
    return top


def doctor() -> str:
    """Which engines there are, one to a line, and which one "auto" takes."""
    import torch

    from . import engines

    kernels = "no: the folder crf/kernels is missing"
    if engines.kernels is not None:
        kernels = f"{'yes' if engines.has_kernels() else 'no'}: {engines.kernels.about}"
    triton = "yes" if importlib.util.find_spec("triton") else "no: triton is not installed"
    return f"""\
linear-chain-crf {_version()}
torch {torch.__version__}, {torch.get_num_threads()} threads
plain    yes: the code of the textbook
kernels  {kernels}
triton   {triton}
auto     {"kernels" if engines.has_kernels() else "plain"} on a CPU, plain elsewhere"""


def main(arguments: list[str] | None = None) -> int:
    """Run one command; the exit code is 0, 2 for a bad file or argument, 130 if interrupted."""
    options = parser().parse_args(arguments)
    try:
        if options.command == "doctor":
            print(doctor())
            return 0
        if options.command == "lab":
            from .lab import command as lab

            return lab.run(options)
        _look_at_files(options)
        from .tagger import commands  # only now: --help need not wait for torch

        getattr(commands, options.command)(options)
    except ModuleNotFoundError as error:
        return _complain(options.command, _missing(error), 2)
    except ImportError as error:
        return _complain(options.command, f"{_ANOTHER} ({error})", 2)
    except KeyboardInterrupt:
        return _complain(options.command, "interrupted", 130)
    except MemoryError:
        return _complain(options.command, "the memory is full; give smaller files or sizes", 2)
    except BrokenPipeError:  # `… | head`: the reader has had enough
        _silence(sys.stdout)
        return 0
    except (ValueError, OSError) as error:
        if isinstance(error, OSError) and error.strerror:  # bare, it reads "[Errno 28] No space …"
            stream = "standard output" if error.errno == errno.ENOSPC else ""  # files have names
            where = error.filename or stream
            fault = f"{where}: {error.strerror}" if where else error.strerror
            return _complain(options.command, fault, 2)
        remedy = getattr(error, "remedy", "")
        return _complain(options.command, f"{error}; {remedy}" if remedy else str(error), 2)
    return 0


def _look_at_files(options: argparse.Namespace) -> None:
    """Refuse a file that is no text before torch is imported, which takes seconds."""
    from .tagger.lines import TextSource

    for name in ("train", "dev", "file"):
        path = getattr(options, name, None)
        if path is not None and path.is_file():
            source = TextSource(path, encoding=options.encoding)
            with source.explained():
                source.head()


def _complain(command: str, fault: str, code: int) -> int:
    """Say in one sentence what went wrong."""
    print(f"python -m crf {command}: {fault}", file=sys.stderr)
    _silence(sys.stdout)  # what could not be written must not fail once more at exit
    return code


def _silence(stream: TextIO) -> None:
    try:
        stream.flush()
    except (OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _version() -> str:
    try:
        version = metadata.version("linear-chain-crf")
    except metadata.PackageNotFoundError:
        version = "(not installed)"
    return f"{version}, in {Path(__file__).parent}"


def _missing(error: ModuleNotFoundError) -> str:
    extra = "fetch" if error.name in ("pooch", "requests") else "tagger"
    return (
        f"it needs the package {error.name}, which is not installed; the extra [{extra}] brings "
        f"it: pip install 'linear-chain-crf[{extra}]', or in a clone pip install '.[{extra}]'"
    )


if __name__ == "__main__":
    sys.exit(main())
