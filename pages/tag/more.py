"""What stands behind "⋯" of the front page: tagger, decoders, numbers, code, files and links."""

import inspect
from collections.abc import Mapping, Sequence

import streamlit as st

from crf.figures.flow.payload import THRESHOLD
from crf.figures.heat.payload import Probabilities, payload
from pages.shared.course.state import State
from pages.shared.figures import tables, theme
from pages.shared.figures.beat import Beat
from pages.shared.figures.text import Case, LessonText, case
from pages.shared.ui import taggers
from pages.shared.ui.cell_table import cell_table
from pages.shared.ui.exports import rows_to_csv
from pages.shared.ui.own_tagger import your_own
from pages.shared.ui.stage import look, reader, take
from pages.shared.ui.state import SessionValue
from pages.shared.ui.words import say
from pages.tag import pad

LESSON = "tag"
_MANY = 12  # tags; of more, those that are improbable at every token are left out, as in the flow
_TAGGER = taggers.TaggerChoice("tag.tagger", "bilstm")
_ADDED = SessionValue("tag.added", "")  # the key of a tagger that was just uploaded


def _tagger(state: State, _beat: Beat, text: LessonText) -> None:
    """Which tagger reads, and where words end."""
    names = {key: entry.name for key, entry in taggers.choices().items()}
    key = state.given.source

    def choose() -> None:
        taggers.TAGGER.set(_TAGGER.value)
        reader.order(LESSON, ex="", sentence=_sentence(state), tagger=_TAGGER.value, fix="")

    def split() -> None:
        flag = "1" if taggers.SPACES.value else "0"
        reader.order(LESSON, ex="", sentence=_sentence(state), tagger=key, spaces=flag, fix="")

    with st.container(horizontal=True, vertical_alignment="bottom"):
        if key in names:
            _TAGGER.set(key)
        _TAGGER.widget(text.line("labels.tagger"), on_change=choose, width=320)
        taggers.SPACES.widget(text.line("labels.spaces"), on_change=split)
        with st.popover(text.line("labels.own"), icon=":material/upload:"):
            your_own("tag.own", _ADDED)
    if added := _ADDED.take():
        reader.order(LESSON, ex="", sentence=_sentence(state), tagger=added, fix="")
        st.rerun()
    st.html(text.html("about"))


def _sentence(state: State) -> str:
    return state.base.sentence or " ".join(state.problem.tokens)


def _ways(state: State, _beat: Beat, text: LessonText) -> None:
    """The paths of the four corners, with their probabilities."""
    problem, chain = state.problem, state.problem.chain()
    if not chain.feasible.item():
        return
    fixed = tuple(sorted(state.fixed.items()))
    corners = pad.readings(problem, fixed, (0.0, 1.0), (1.0, 0.0))
    softmax, posterior = corners.marginals[0].argmax(-1).tolist()
    greedy, viterbi = corners.best.tolist()
    rows = []
    for name, path in (
        ("viterbi", viterbi),
        ("posterior", posterior),
        ("greedy", greedy),
        ("softmax", softmax),
    ):
        log_prob = chain.log_prob(chain.viterbi().tags.new_tensor([path])).item()
        tags = [problem.tags[s] for s in path]
        rows.append(
            tables.PathRow(
                text.line(f"labels.{name}"),
                tags,
                [theme.log_probability(log_prob)],
                text.line(f"labels.{name}-about"),
            )
        )
    st.html(text.html("ways"))
    best, caption = rows[0].tags, text.line("labels.caption")
    heads = [text.line("labels.probability")]
    st.html(tables.path_table(problem.tokens, rows, best, heads, caption, tags=problem.tags))


def _numbers(state: State, _beat: Beat, text: LessonText) -> None:
    """The heat map, and a table to take away."""
    problem = state.problem
    if not problem.chain().feasible.item():
        return
    readings = pad.readings(
        problem, tuple(sorted(state.fixed.items())), (state.lambda_,), (state.tau,)
    )
    marginals = readings.marginals[0, 0].tolist()
    st.html(text.html("numbers"))
    heat_map = _heat_map(problem.tags, problem.tokens, marginals, state.fixed)

    def fix(cell: tuple[int, int]) -> None:
        row, token = cell
        tag = problem.tags.index(heat_map.rows[row])
        fixed = {t: s for t, s in state.fixed.items() if t != token}
        if state.fixed.get(token) != tag:
            fixed[token] = tag
        reader.order(LESSON, fix="~".join(f"{t}.{s}" for t, s in sorted(fixed.items())))

    cell_table(payload(heat_map), key="tag.heat", on_pick=fix)
    header = ["", *problem.tokens]
    body = [[tag, *column] for tag, column in zip(problem.tags, _columns(marginals), strict=True)]
    st.download_button(
        text.line("labels.csv"),
        lambda: rows_to_csv([header, *body]),
        "readings.csv",
        "text/csv",
        on_click="ignore",
        key="tag.csv",
        icon=":material/download:",
    )


def _heat_map(
    tags: Sequence[str],
    tokens: Sequence[str],
    marginals: Sequence[Sequence[float]],
    held: Mapping[int, int],
) -> Probabilities:
    """The heat map, tags by tokens."""
    by_tag = list(zip(*marginals, strict=True))
    rows = range(len(tags))
    if len(tags) > _MANY:
        rows = [s for s in rows if max(by_tag[s]) >= THRESHOLD or s in held.values()]
    names, values = [tags[s] for s in rows], [by_tag[s] for s in rows]
    return Probabilities(
        say("marginals.title"),
        names,
        tokens,
        values,
        lambda k, t: f"p({tokens[t]} = {names[k]}) = {theme.probability(values[k][t])}",
        {(rows.index(s), t) for t, s in held.items()},
    )


def _columns(table: Sequence[Sequence[float]]) -> list[list[float]]:
    return [list(column) for column in zip(*table, strict=True)]


def _pairs() -> list[Case]:
    """What a CRF adds to each shipped network, by the model cards."""
    cases = []
    for key in ("local", "bilstm"):
        card = taggers.metrics(key) or {}
        if twin := card.get("softmax"):
            shares = {
                "alone": theme.percent(twin["sentence_accuracy"]),
                "crf": theme.percent(card["sentence_accuracy"]),
            }
            cases.append(case(f"pair.{key}", **shares))
    twin = taggers.metrics("ner-softmax") or {}
    if "invalid_tags" in twin:
        cases.append(case("pair.ner", broken=twin["invalid_tags"]))
    return cases


def _worth(_state: State, _beat: Beat, text: LessonText) -> None:
    st.html(text.html("worth", pairs=_pairs()))


def _code(_state: State, _beat: Beat, text: LessonText) -> None:
    st.html(text.body("code"))
    st.code(f"{inspect.getsource(pad.scaled)}\n\n{inspect.getsource(pad.readings)}")


def _take(state: State, beat: Beat, text: LessonText) -> None:
    take.show(LESSON, (beat,), beat, state, text)


SECTIONS: look.Sections = {
    "numbers": {"heat-maps": _numbers, "decoders": _ways},
    "why": {"worth": _worth},
    "code": {"step": _code},
    "keep": {"tagger": _tagger, "link": _take},
}
