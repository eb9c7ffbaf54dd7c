"""Lesson: a trained tagger at work on a sentence of the reader's own, and how it decodes it."""

import inspect
from html import escape

import streamlit as st

from pages.figures import prose, tables, theme
from pages.ui import frame, state, taggers
from pages.ui.analysis import Analysis, analyse
from pages.ui.examples import BY_NAME, BY_SENTENCE, EXAMPLES
from pages.ui.sentence import tagged_sentence
from pages.ui.stepper import PathOverlay, stepper

TAGGER_NAMES = {"bilstm": "BiLSTM-CRF", "local": "Local CRF", "own": "Your own"}


def note(text: str) -> None:
    """A small remark; plain text."""
    st.html(f'<p class="crf-note">{escape(text)}</p>')


def sentence_field() -> str:
    """The sentence; Enter tags it."""
    return st.text_input(
        "Your sentence",
        EXAMPLES[0].sentence,
        key=state.SENTENCE,
        bind="query-params",
        on_change=state.cut_sentence,
        placeholder="Type an English sentence and press Enter",
    )


def examples(text: str) -> None:
    """The worked examples, and why the one on screen is instructive."""
    example = BY_SENTENCE.get(text)
    st.session_state[state.EXAMPLE] = example.name if example else None
    st.pills("Or one of these", list(BY_NAME), key=state.EXAMPLE, on_change=use_example)
    if example:
        note(example.why)


def use_example() -> None:
    """Callback: put the chosen example in the sentence field."""
    example = BY_NAME.get(st.session_state[state.EXAMPLE])
    if example:
        st.session_state[state.SENTENCE] = example.sentence


def choose_tagger() -> str:
    """The switch between the taggers, with what each one is."""
    name = st.segmented_control(
        "Tagger",
        state.TAGGERS,
        default=state.TAGGERS[0],
        required=True,
        format_func=TAGGER_NAMES.get,
        key=state.TAGGER,
        bind="query-params",
    )
    return name if name in state.TAGGERS else state.TAGGERS[0]


def load_tagger(name: str):  # noqa: ANN201
    """(key, tagger), or None after a message that says what is missing."""
    from crf.tagger import ModelFileError

    if name != "own":
        try:
            return name, taggers.shipped(name)
        except ModelFileError as error:
            st.error(f"The shipped tagger cannot be used. {theme.markdown(str(error))}")
            return None
    files = st.file_uploader(
        "`tagger.json` and `weights.safetensors`, as `python -m crf train` writes them",
        type=["json", "safetensors"],
        accept_multiple_files=True,
        key="upload",
    )
    loaded = taggers.from_upload(files)
    if isinstance(loaded, str):
        st.error(theme.markdown(loaded))
        return None
    return loaded


def split(text: str) -> tuple[str, ...] | None:
    """The sentence's tokens, or None after a message."""
    from crf.tagger import tokenise

    tokens = tuple(tokenise(text))
    if not tokens:
        st.info("There is no word in the field yet. Type a sentence, or pick an example.")
    elif len(tokens) > state.MAX_TOKENS:
        st.warning(
            f"That is {len(tokens)} tokens. This page draws at most {state.MAX_TOKENS}: please shorten "
            "the text to one sentence."
        )
    else:
        return tokens
    return None


@st.fragment
def answer(tagger_key: str, _tagger: object, tokens: tuple[str, ...]) -> None:
    """Everything under the controls; a tag set by hand repaints this and nothing else."""
    hand = state.by_hand(tagger_key, tokens)
    analysis = taggers.analysis(tagger_key, _tagger, tokens, hand.fixed)
    if not analysis.is_feasible:
        st.error("This tagger allows no sequence at all with these tags.")
        by_hand_buttons(hand)
        return
    tagged_sentence(analysis, key="words", on_choice=hand.choose)
    if analysis.is_clamped or hand.history:
        by_hand_buttons(hand)
    if analysis.is_clamped:
        st.html(prose.by_hand(analysis))
    else:
        note(
            "Each word with its tag in the best sequence, and that tag’s probability. Pick another tag "
            "from a word’s menu to set it by hand. A dotted line: a word that training did not contain."
        )
    st.html(prose.equation(analysis))
    note(
        "A score is not a probability: it is a sum that can be any number. Only its distance to log Z "
        "says how probable the sequence is."
    )
    compare(analysis, tagger_key)
    watch(analysis)
    look_inside(analysis)
    show_code()


def by_hand_buttons(hand: state.ByHand) -> None:
    """Undo and clear."""
    with st.container(horizontal=True):
        st.button("Undo", icon=":material/undo:", on_click=hand.undo, disabled=not hand.history)
        st.button("Clear tags set by hand", icon=":material/close:", on_click=hand.clear)


def compare(analysis: Analysis, tagger_key: str) -> None:
    """Three decoders, and the three best sequences."""
    st.header("Three ways to choose", anchor=False)
    rows = [
        tables.Row(name, path.tags, [theme.log_probability(path.log_prob)], about)
        for name, path, about in (
            ("Greedy", analysis.greedy, "best emission of each word"),
            ("Viterbi", analysis.viterbi, "best sequence"),
            ("Posterior", analysis.posterior, "most probable tag of each word"),
        )
    ]
    best = analysis.viterbi.tags
    st.html(
        tables.path_table(
            analysis.tokens, rows, best, ["probability"], "Three decoders’ tags, word by word"
        )
        + prose.decoders(analysis)
        + prose.tagger_note(tagger_key, taggers.metrics(tagger_key))
    )
    st.subheader("The three best sequences", anchor=False)
    rows = [
        tables.Row(
            f"{rank}.", path.tags, [theme.log_probability(path.log_prob), theme.number(path.score)]
        )
        for rank, path in enumerate(analysis.best, 1)
    ]
    st.html(
        tables.path_table(
            analysis.tokens, rows, best, ["probability", "score"], "The best sequences, best first"
        )
        + prose.best_paths(analysis)
    )


@st.fragment
def watch(analysis: Analysis) -> None:
    """The trellis, step by step."""
    st.header("How Viterbi finds it", anchor=False)
    st.markdown(
        "Column by column, each cell keeps the best way to reach its tag: the best earlier cell, plus "
        "the transition from it, plus the word’s emission. From the last column the kept arrows lead "
        "back. A cell’s value is the score of a beginning, not a confidence."
    )
    stepper(
        analysis.trace,
        key="viterbi",
        paths=[
            PathOverlay("Viterbi", "viterbi", analysis.viterbi.tags),
            PathOverlay("Greedy", "greedy", analysis.greedy.tags),
            PathOverlay("Posterior", "posterior", analysis.posterior.tags),
        ],
    )


@st.fragment
def look_inside(analysis: Analysis) -> None:
    """Emissions, transitions, marginals."""
    st.header("What it is made of", anchor=False)
    emissions, transitions, marginals = st.tabs(
        ["Emission scores", "Transition scores", "Marginal probabilities"], on_change="rerun"
    )
    column = {tag: s for s, tag in enumerate(analysis.tags)}
    path = [column[tag] for tag in analysis.viterbi.tags]
    on_path = {(s, t) for t, s in enumerate(path)}
    if emissions.open:
        with emissions:
            st.markdown(
                "What the network says of each word before any neighbour’s tag is considered: log-"
                "potentials, orange for and blue against. Ringed: the best sequence."
            )
            by_tag = list(zip(*analysis.emissions, strict=True))
            st.html(
                tables.score_table(
                    analysis.tags,
                    analysis.tokens,
                    by_tag,
                    "Emission scores, tags by words",
                    on_path,
                )
            )
    if transitions.open:
        with transitions:
            st.markdown(
                "What the CRF has learnt of the order of tags, the same for every sentence. Read from "
                "row to column: row DET, column NOUN is the score of a noun after a determiner. Rows "
                "need not sum to anything, and 0 does not mean forbidden. Ringed: used by the best "
                "sequence."
            )
            names = [*analysis.tags, "END"]
            rows = [
                [*row, end] for row, end in zip(analysis.transitions, analysis.end, strict=True)
            ]
            S = len(analysis.tags)
            steps = {(i + 1, j) for i, j in zip(path, path[1:], strict=False)}
            st.html(
                tables.score_table(
                    ["START", *analysis.tags],
                    names,
                    [[*analysis.start, None], *rows],
                    "Transition scores, from row to column",
                    steps | {(0, path[0]), (path[-1] + 1, S)},
                    "from ↓ to →",
                )
            )
    if marginals.open:
        with marginals:
            st.markdown(
                "How probable each tag of each word is when all sequences are weighed together, past "
                "and future. Every column sums to 1. Ringed: the best sequence."
            )
            by_tag = list(zip(*analysis.marginals, strict=True))
            st.html(
                tables.probability_table(
                    analysis.tags,
                    analysis.tokens,
                    by_tag,
                    "Marginal probabilities, tags by words",
                    [
                        ("sum", [f"{total:.4f}" for total in analysis.column_sums]),
                        ("entropy (nats)", [theme.number(h) for h in analysis.entropies]),
                    ],
                    on_path,
                )
                + prose.uncertainty(analysis)
            )


def show_code() -> None:
    """The functions that computed all this."""
    from crf import decoding, recursions

    with st.expander("The code that ran", icon=":material/code:"):
        for about, function in (
            ("Everything on this page, asked of one chain", analyse),
            ("Viterbi, left to right", decoding.viterbi_forward),
            ("and the way back", decoding.backtrace),
            ("The same recursion with log-sum-exp: log Z and the marginals", recursions.forward),
        ):
            st.markdown(f"{about}: `{function.__module__}.{function.__name__}`")
            st.code(inspect.getsource(function), language="python")


frame.start_page(
    "Tag a sentence", "Which tags fit the whole sentence best, and how sure is the model?"
)
for problem in (state.take_problem(), state.forged_tagger()):
    if problem:
        st.warning(theme.markdown(problem))
left, right = st.columns([2.4, 1], vertical_alignment="bottom")
with left:
    text = sentence_field()
with right:
    name = choose_tagger()
examples(text)
loaded = load_tagger(name)
tokens = split(text)
if loaded and tokens:
    answer(*loaded, tokens)
