"""From words to scores, beat by beat: the network, a training, and what came out."""

import re
from pathlib import Path
from typing import Any

from crf.figures.flow.payload import Payload
from crf.figures.numbers import decimal, format_probability, format_score
from pages.shared.course.state import State, StatePart, one_of
from pages.shared.figures.beat import Beat, Bet, lesson
from pages.shared.figures.beat_text import BeatText
from pages.shared.ui import taggers
from pages.words import judging, pictures, runs
from pages.words.runs import QUEUE

TEXT = Path(__file__).with_name("beats.md")
LAYERS = ("vectors", "lstm", "emissions")  # the steps of the first beat
MISTAKES = 8  # that → goes through
LONGEST_WORD, MOST_OPTIONS = 40, 8
_HAS_LETTER = re.compile(r"\w")
_HOLES = {hole: f"{{{hole}}}" for hole in ("n", "right", "given", "p")}  # the picture fills them


def _words(*names: str) -> dict[str, str]:
    """Words for the picture, with their holes."""
    text = BeatText.load(TEXT)
    return {name: text.plain(f"word-{name}", _HOLES) for name in names}


def _percent(share: float, digits: int = 0) -> str:
    """A share as a number of per cent."""
    return decimal(f"{100 * share:.{digits}f}")


# ---------------------------------------------------------------------- controls


def _read_word(text: str) -> str:
    word = text.strip()
    if not word or len(word) > LONGEST_WORD or len(word.split()) > 1:
        raise ValueError
    return word


def _read_number(most: int) -> Any:
    def read(text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) <= 3 and int(text) <= most):
            raise ValueError
        return int(text)

    return read


def _read_mistake(text: str) -> tuple[int, int, int]:
    if not re.fullmatch(r"[0-9]{1,2}(\.[0-9]{1,2}){2}", text):
        raise ValueError
    step, right, given = map(int, text.split("."))
    return step, right, given


def _read_training(text: str) -> str:
    if QUEUE.get(text) is None:
        raise ValueError
    return text


OF_WORD = {
    "word": StatePart(None, _read_number(59)),  # the word that is spoken of; None: see `token_of`
    "other": StatePart("", _read_word),  # what replaces it; "": see `other_of`
}
OF_TRAINING = {
    "encoder": one_of(*runs.ENCODERS),
    "batch": one_of(*runs.BATCHES, usual="16"),
    "rate": one_of(*runs.RATES, usual="0.01"),
    "training": StatePart("", _read_training),
}
OF_TAGGER = {"tagger": one_of("", *judging.TWINS, "own")}
OF_CUT = OF_TAGGER | {"cut": StatePart(30, _read_number(95))}
OF_MISTAKE = OF_TAGGER | {"mistake": StatePart(None, _read_mistake)}


# ---------------------------------------------------------------------- the network


def token_of(state: State) -> int:
    """The word that the beat is about: the reader's, else the one before the last."""
    tokens, index = state.problem.tokens, state.control("word", OF_WORD)
    if index is not None and index < len(tokens):
        return index
    with_letters = [t for t, token in enumerate(tokens) if _HAS_LETTER.search(token)] or [0]
    return with_letters[max(len(with_letters) - 2, 0)]


def other_of(state: State) -> str:
    """The word that replaces it."""
    word = state.control("other", OF_WORD)
    return word or ("the" if state.problem.tokens[token_of(state)] == "to" else "to")


def _network(state: State) -> Payload:
    texts = _words("lane-right", "lane-left", "emissions", "unknown", "another")
    picture = pictures.network(state)
    parts = _words(*(f"part-{name}" for name in picture["parts"]))
    return picture | {"parts": list(parts.values()), "token": token_of(state), "said": texts}


def _of_layer(state: State, step: int) -> dict[str, Any]:
    key, tagger, is_own = pictures.opened(state)
    token, tokens = token_of(state), state.problem.tokens
    word, layers = tokens[token], pictures.layers_of(key, tokens)
    indices = pictures.indices(tagger, word)
    best = layers.emissions[token].argmax().item()
    size = layers.vectors.shape[1]
    states = size if layers.right is None else 2 * layers.right.shape[1]
    return {
        "layer": LAYERS[step],
        "word": word,
        "words": len(tokens),
        "index": str(indices[0][2]) if indices else "none",
        "unknown": int(tagger.unknown([word])[0]),
        "parts": len(pictures.parts(tagger)),
        "size": str(size),
        "states": str(states),
        "tags": len(tagger.tags),
        "lstm": int(layers.right is not None),
        "own": int(is_own),
        "crf": int(tagger.crf.transitions.any().item()),
        "best": tagger.tags[int(best)],
        "score": format_score(layers.emissions[token].max().item(), 1),
    }


def _change(state: State) -> pictures.Replaced:
    return pictures.replaced(state, token_of(state), other_of(state))


def _replacing(state: State) -> Payload:
    change = _change(state)
    return _network(state) | {"other": change.word, "after": pictures.replacement(change, state)}


def _of_change(state: State, step: int) -> dict[str, Any]:
    change, (_, tagger, is_own) = _change(state), pictures.opened(state)
    tokens, most = state.problem.tokens, change.most
    facts = {
        "word": state.problem.word(change.token), "other": change.word, "words": len(tokens),
        "lstm": int(change.before.right is not None), "own": int(is_own), "moves": 0, "flips": 0,
        "near": 0, "most": "", "amount": "", "was": "", "now": "",
    }  # fmt: skip
    if most is None:
        return facts
    was, now = (layers.emissions[most].argmax().item() for layers in (change.before, change.after))
    return facts | {
        "moves": 1,
        "flips": int(was != now),
        "near": int(abs(most - change.token) == 1),
        "most": state.problem.word(most),
        "amount": format_score(change.moved[most], 1),
        "was": tagger.tags[int(was)],
        "now": tagger.tags[int(now)],
    }


def _which_moves(state: State, _step: int) -> Bet | None:
    change = _change(state)
    others = [t for t in range(len(state.problem.tokens)) if t != change.token]
    if change.most is None or len(others) < 2:
        return None
    near = sorted(sorted(others, key=lambda t: abs(t - change.token))[:MOST_OPTIONS])
    if change.most not in near:
        near[-1] = change.most
    return Bet(tuple(f"w{t}" for t in near), f"w{change.most}")


def _unmoved(picture: Payload, now: Payload) -> tuple[Payload, Payload]:
    return {key: part for key, part in picture.items() if key != "after"}, now


# ---------------------------------------------------------------------- training


def _training(state: State) -> Payload:
    text = BeatText.load(TEXT)
    menus = {"encoder": runs.ENCODERS, "batch": runs.BATCHES, "rate": runs.RATES}
    return {
        "menus": [
            {
                "name": name,
                "label": text.plain(f"word-{name}", {}),
                "value": state.control(name, OF_TRAINING),
                "options": [
                    {"name": one, "label": text.plain(f"{name}-option", {"n": decimal(one)})}
                    if name != "encoder"
                    else {"name": one, "label": text.plain(f"encoder-{one}", {})}
                    for one in options
                ],
            }
            for name, options in menus.items()
        ],
        "address": runs.address(),
        "sentence": state.base.sentence or " ".join(state.problem.tokens),
        "said": _words("loss", "words-right", "held-out", "train", "stop", "use"),
    }


def _run(state: State, step: int) -> runs.TrainingRun:
    if mine := QUEUE.get(state.control("training", OF_TRAINING)):
        return runs.of_training(mine)
    return runs.recorded(step)


def _of_run(state: State, step: int) -> dict[str, Any]:
    run = _run(state, step)
    steps = round(run.batches[-1][0] * run.steps) if run.batches else 0
    return {
        "state": run.state,
        "before": run.before,
        "epoch": str(min(len(run.epochs) + 1, run.last)),
        "done": len(run.epochs),
        "ended": int(len(run.epochs) == run.last),
        "last": str(run.last),
        "step": str(steps),
        "steps": str(run.steps * run.last),
        "batch": str(run.batch),
        "loss": format_score(run.batches[-1][1], 1) if run.batches else "",
        "started": int(bool(run.batches)),
        "right": _percent(run.epochs[-1][1]) if run.epochs else "",
        "names": int(run.names),
        "why": run.why,
    }


# ---------------------------------------------------------------------- batches


def _targets(state: State) -> Payload:
    texts = _words("sentence", "sentences", "a-batch", "loss-word", "steps", "aim")
    return {"targets": pictures.targets(), "said": texts}


def _of_targets(state: State, step: int) -> dict[str, Any]:
    ends = {t["size"]: t["losses"][-1][1] for t in pictures.targets()}
    return {
        "sentences": pictures.SENTENCES,
        "small": format_score(ends[min(ends)], 1),
        "large": format_score(ends[max(ends)], 1),
    }


def _lowest(state: State, _step: int) -> Bet:
    ends = {f"of-{size}": pictures.losses(size)[-1][1] for size in pictures.SIZES}
    return Bet(tuple(ends), min(ends, key=ends.__getitem__))


def _before_the_pass(picture: Payload, now: Payload) -> tuple[Payload, Payload]:
    targets = [one | {"losses": one["losses"][:1]} for one in picture.get("targets", ())]
    return picture | {"targets": targets}, now


# ---------------------------------------------------------------------- how good


def _choice(state: State) -> str:
    """The tagger that is judged: the chosen one, else the reader's own, else "local"."""
    choice, choices = state.control("tagger", OF_TAGGER), judging.choices(state)
    if choice in choices:
        return choice
    return "own" if "own" in choices else "local"


def judged(state: State) -> str:
    """The key of the tagger that is judged."""
    return judging.tagger_of(state, _choice(state))


def _switch(state: State) -> Payload:
    text = BeatText.load(TEXT)
    names = judging.choices(state)
    return {
        "choices": [{"name": one, "label": text.plain(f"tagger-{one}", {})} for one in names],
        "chosen": _choice(state),
    }


def _columns(state: State) -> int:
    return max((len(one.columns) for one in judging.twins(state, _choice(state))), default=0)


def _cut(state: State) -> int:
    """The first column that stays with the machine."""
    cut, columns = state.control("cut", OF_CUT), _columns(state)
    return max(min(round(cut * columns / 100), columns - 1), 0)


def _good(state: State) -> Payload:
    rows = [judging.picture_of(one) for one in judging.twins(state, _choice(state))]
    names = ("crf", "softmax", "sentences-right", "promised", "rest", "human", "machine", "surest",
            "broken", "no-columns")  # fmt: skip
    return _switch(state) | {"rows": rows, "said": _words(*names)}


def _of_cut(state: State, step: int) -> dict[str, Any]:
    choice, twins = _choice(state), judging.twins(state, _choice(state))
    if not twins:
        return {"tagger": choice, "twins": 0, "columns": 0}
    cut, columns = _cut(state), _columns(state)
    first, second = twins[0], twins[1] if len(twins) > 1 else None
    promising = [one for one in twins if one.promised and one.promised > one.right + 0.005]
    sizes = [int(one["sentences"]) for one in first.columns]
    rest = second.rest(cut) if second else None
    return {
        "tagger": choice,
        "twins": len(twins),
        "columns": columns,
        "cut": _percent(cut / columns) if columns else "0",
        "asked": cut,
        "crf": _percent(first.rest(cut) or 0.0),
        "softmax": _percent(rest or 0.0),
        "both": int(rest is not None),
        "right": _percent(first.right, 1),
        "twin": _percent(second.right, 1) if second else "",
        "size": sizes[0] if sizes else 0,
        "toomuch": len(promising),
        "broken": (second.broken or 0) if second else 0,
        "unbroken": int(first.broken or 0),
    }


# ---------------------------------------------------------------------- where it errs


def _confusions(state: State) -> judging.Confusions:
    key = judged(state)
    return judging.confusions(taggers.metrics(key) or {}, taggers.get(key).tags)


def _mistake(state: State, step: int) -> tuple[int, int] | None:
    """The mistake on screen, as row and column: the one clicked, else the step's."""
    table = _confusions(state)
    ranked, clicked = table.ranked, state.control("mistake", OF_MISTAKE)
    if clicked and clicked[0] == step and clicked[1:] in ranked:
        return clicked[1], clicked[2]
    return ranked[min(step, len(ranked) - 1)] if ranked else None


def _errs(state: State) -> Payload:
    table = _confusions(state)
    return _switch(state) | {
        "tags": list(table.tags),
        "counts": table.counts,
        "ranked": [list(pair) for pair in table.ranked[:MISTAKES]],
        "said": _words(
            "right-tag", "given-tag", "other", "examples", "about", "no-example", "fewer", "more"
        ),
    }


def _at_mistake(state: State, step: int) -> Payload:
    table = _confusions(state)
    if (mistake := _mistake(state, step)) is None:
        return {"mistake": None, "examples": []}
    right, given = (table.tags[k] for k in mistake)
    examples = judging.examples(judged(state), (right, given))
    return {
        "mistake": list(mistake),
        "examples": [one | {"p": format_probability(one["p"])} for one in examples],
    }


def _of_mistake(state: State, step: int) -> dict[str, Any]:
    table = _confusions(state)
    if (mistake := _mistake(state, step)) is None:
        return {"rank": -1, "right": "", "given": "", "times": 0, "words": "", "share": ""}
    row = table.counts[mistake[0]]
    return {
        "rank": table.ranked.index(mistake),
        "right": table.tags[mistake[0]],
        "given": table.tags[mistake[1]],
        "times": row[mistake[1]],
        "words": decimal(f"{sum(row):,}"),
        "share": _percent(row[mistake[1]] / sum(row), 1),
    }


BEATS = (
    *lesson(
        "words",
        TEXT,
        Beat(
            "network", _network, _of_layer, lambda state, step: {"layer": LAYERS[step]},
            steps=lambda problem: range(len(LAYERS)), controls=OF_WORD,
        ),
        Beat("replace", _replacing, _of_change, bet=_which_moves, veil=_unmoved,
                controls=OF_WORD),
    ),
    *lesson(
        "words",
        TEXT,
        Beat(
            "train", _training, _of_run, lambda state, step: {"run": _run(state, step)._asdict()},
            steps=lambda problem: runs.RECORDED_STEPS, opens=lambda problem: runs.OPENS,
            controls=OF_TRAINING,
        ),
        Beat("batches", _targets, _of_targets, bet=_lowest, veil=_before_the_pass),
        Beat("good", _good, _of_cut, lambda state, step: {"cut": _cut(state)}, controls=OF_CUT),
        Beat(
            "errs", _errs, _of_mistake, _at_mistake, steps=lambda problem: range(MISTAKES),
            controls=OF_MISTAKE,
        ),
        chooses=False,
    ),
)  # fmt: skip
