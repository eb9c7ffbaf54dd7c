"""The command line: `python -m crf fetch|train|evaluate|tag`; each has `--help`."""

import argparse
import sys
from pathlib import Path

SHIPPED = Path(__file__).parent / "tagger" / "shipped" / "bilstm"

EXAMPLE = """\
From nothing to a tagger of your own:
  python -m crf fetch ud-english-ewt --directory data
  python -m crf train data/en_ewt-ud-train.conllu data/en_ewt-ud-dev.conllu --output my-tagger
  python -m crf evaluate data/en_ewt-ud-dev.conllu --model my-tagger
  echo "Time flies like an arrow." | python -m crf tag --model my-tagger
"""


def parser() -> argparse.ArgumentParser:
    """The arguments of all four commands."""
    top = argparse.ArgumentParser(
        prog="python -m crf",
        description="Train, measure and use a part-of-speech tagger with a CRF.",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name: str, summary: str, details: str = "") -> argparse.ArgumentParser:
        return commands.add_parser(name, help=summary, description=f"{summary}. {details}")

    def add_model(to: argparse.ArgumentParser) -> None:
        to.add_argument(
            "--model",
            type=Path,
            default=SHIPPED,
            metavar="DIR",
            help="the tagger: a directory that `train` wrote (default: the BiLSTM-CRF we ship)",
        )

    train = command(
        "train",
        "Train a tagger on a treebank",
        "Takes about ten minutes for UD English EWT on one CPU core. A run that was stopped goes "
        "on from its last whole epoch when the same command is given again.",
    )
    train.add_argument("train", type=Path, metavar="TRAIN", help="CoNLL-U file to learn from")
    train.add_argument("dev", type=Path, metavar="DEV", help="CoNLL-U file that chooses the epoch")
    train.add_argument(
        "--output", type=Path, required=True, metavar="DIR", help="where the tagger goes"
    )
    train.add_argument(
        "--local", action="store_true", help="no LSTM: each emission sees its own word only"
    )
    train.add_argument("--epochs", type=_count, metavar="N", help="passes over TRAIN, at most")
    train.add_argument("--seed", type=int, metavar="N", help="of all randomness (default: 0)")
    train.add_argument("--threads", type=_count, default=1, metavar="N", help="default: 1")
    train.add_argument("--quiet", action="store_true", help="no progress bar")

    evaluate = command(
        "evaluate",
        "Compare a tagger with a treebank",
        "Prints the share of tokens, of whole sentences and of unknown words tagged right, and the "
        "mean negative log-likelihood of a sentence's gold tags in nats.",
    )
    evaluate.add_argument("file", type=Path, metavar="FILE", help="CoNLL-U, may be gzipped (.gz)")
    add_model(evaluate)
    evaluate.add_argument("--json", action="store_true", help="one line of JSON; shares are 0 to 1")

    tag = command("tag", "Tag sentences from standard input, one per line")
    add_model(tag)
    tag.add_argument(
        "--json", action="store_true", help="a line of JSON each: tokens, tags, log_prob (nats)"
    )

    fetch = command("fetch", "Download a treebank, with its checksums verified")
    fetch.add_argument("name", metavar="NAME", help="ud-english-ewt")
    fetch.add_argument(
        "--directory", type=Path, metavar="DIR", help="where to (default: the user's cache)"
    )
    return top


def main(arguments: list[str] | None = None) -> int:
    """Run one command; the exit code is 0, 2 for a bad file or argument, 130 if interrupted."""
    options = parser().parse_args(arguments)
    from .tagger import commands  # only now: --help need not wait for torch

    try:
        getattr(commands, options.command)(options)
    except (ValueError, OSError) as error:
        print(f"python -m crf {options.command}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    return 0


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1, got {text!r}")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
