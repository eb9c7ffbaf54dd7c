"""Lesson: what the model assumes, drawn as a graph, and how HMM, MEMM and CRF differ."""

import math
from functools import partial

import streamlit as st

from crf.figures.flow import payload as flow
from crf.figures.trellis.narration import quoted
from pages.graphs import factor_graph, family, independence, label_bias, picture
from pages.graphs.picture import told
from pages.shared.course.examples import DEFAULT
from pages.shared.figures.theme import probability
from pages.shared.ui import drawing, exports, fixed_tags, problem_bar, problem_state, question
from pages.shared.ui import flow as flows
from pages.shared.ui.controls import Choice
from pages.shared.ui.frame import note
from pages.shared.ui.lesson import Lesson
from pages.shared.ui.state import SessionValue

MODEL = Choice(
    "graphs.model", "crf", address="graph", labels={"crf": "CRF", "memm": "MEMM", "hmm": "HMM"}
)
SEES = Choice(
    "graphs.sees",
    "token",
    address="sees",
    labels={"token": "", "sentence": ""},
    words=lambda sees: told(f"sees.{sees}"),
)
LETTER = Choice("graphs.letter", "o", address="letter", labels={"o": "o", "i": "i"})
FIX = SessionValue("graphs.fix.{}", 0)  # a token’s tag, in its field
LINKED = SessionValue(
    "graphs.linked", False
)  # whether a link asked for fixed tags: then all is shown

is_new = fixed_tags.is_new("graphs")
lesson = Lesson.open(
    "graphs",
    controls=(MODEL, SEES, LETTER),
    own=lambda problem: fixed_tags.query("graphs", problem),
)
lesson.bar(beside=True)
problem, summary = lesson.problem, lesson.summary
m = len(problem.tokens)
held = fixed_tags.fixed("graphs", problem)
if is_new and held:
    LINKED.set(True)

# ---------------------------------------------------------------------- the graph

graph_place, text = lesson.split()
with graph_place:
    if lesson.asks:
        with st.container(horizontal=True, gap="medium", key="graphs-switches"):
            MODEL.widget("Graph of", label_visibility="collapsed")
            if MODEL.value != "hmm":
                SEES.widget(
                    "Each step sees", shape="select", label_visibility="collapsed", width=240
                )
model = MODEL.value
graph = factor_graph.graph(problem, model, SEES.value)
answers = model == "crf" and summary.feasible
free = independence.given(problem, {}) if answers else None
now = independence.given(problem, held) if answers else None
seen = False
with text:
    lesson.editor()
    lesson.say(model)
    st.html(f'<p class="crf-prose crf-formula">{factor_graph.formula_html(graph.formula)}</p>')
    if model != "hmm" and graph.sees == "token" and problem_state.is_of_a_tagger():
        lesson.say("sees-token-tagger", all_words=SEES.label("sentence"))
    elif model != "hmm":
        lesson.say("sees-token" if graph.sees == "token" else "sees-sentence")
    if not answers:
        if not summary.feasible:
            lesson.say("none")
    elif m < 2:
        lesson.say("one-token")
    else:
        unrelated = free is not None and all(p.dependence < independence.TOLD for p in free.pairs)
        lesson.say("unrelated" if unrelated else "depends")
        if unrelated and lesson.asks:
            problem_bar.offer(DEFAULT, key="graphs.example")
        seen = LINKED.value or m < 3 or unrelated
        if not seen:
            middle = quoted(problem.tokens, m // 2)
            seen = question.guess(
                told("ask.middle", middle=middle),
                ["yes", "no"],
                1,
                key="graphs.guess",
                subject=problem.tokens,
                why=told("ask.fix-it"),
                tells=(fixed_tags.ADDRESS, LETTER.address),
            )
        if seen and not unrelated:
            lesson.say("fix")
        if seen and held and free and now:
            for paragraph, facts in independence.told(problem, free, now):
                lesson.say(paragraph, **facts)
with graph_place:
    local = None
    if model == "memm":
        leads = label_bias.memm(problem)
        rows = {0: [leads.start]} | {t: leads.matrix(t) for t in range(1, m)}
        local = {t: [[math.exp(x) for x in row] for row in table] for t, table in rows.items()}
    shown = (now if seen or not held else free) if answers else None
    drawn = picture.drawing(
        graph, problem, held if model == "crf" else {}, shown, free=free, local=local
    )

    def toggle(t: int) -> None:
        """Fix the tag that is likeliest there, or free it."""
        row = now.marginals[t] if now else [1.0]
        tag = fixed_tags.FREE if t in held else row.index(max(row))
        fixed_tags.fix("graphs", problem, t, tag)

    picture.show(drawn, key="graphs.graph", tokens=m, on_click=toggle)
    if held and model == "crf" and lesson.asks:
        with st.container(horizontal=True, vertical_alignment="bottom"):
            for t, s in held.items():
                tag = FIX.at(t)
                tag.set(s)
                st.selectbox(
                    f"Tag of {quoted(problem.tokens, t)}",
                    [*range(len(problem.tags)), fixed_tags.FREE],
                    format_func=lambda k: "free" if k == fixed_tags.FREE else problem.tags[k],
                    key=tag.key,
                    on_change=lambda t=t, tag=tag: fixed_tags.fix("graphs", problem, t, tag.value),
                    width=150,
                )
            st.button(
                "Free all", on_click=fixed_tags.free_all, args=("graphs", problem),
                key="graphs.free",
            )  # fmt: skip
        if answers and not seen:
            note(told("ask.later"))

# ---------------------------------------------------------------------- label bias

place, text = lesson.split("bias")
letter = LETTER.value
other = "i" if letter == "o" else "o"
heard = label_bias.heard(letter)
with text:
    rib, rob = (probability(label_bias.prior(word)) for word in ("rib", "rob"))
    lesson.say("bias", rib=rib, rob=rob, letter=letter)
    heard_of = question.guess(
        told("ask.memm"),
        [told(f"ask.{answer}") for answer in ("rob", "rib", "half")],
        1,
        key="graphs.bias",
        subject="rib-rob",
        why=told("ask.no-say"),
        tells=(fixed_tags.ADDRESS, LETTER.address),
    )
    if heard_of:
        if lesson.asks:
            LETTER.widget(told("ask.letter"))
        memm, crf, hmm = label_bias.probabilities(letter, f"r{letter}b")
        changed, *_ = label_bias.probabilities(other, f"r{letter}b")
        lesson.say(
            "bias-why", letter=letter, other=other, memm=probability(memm),
            memm_other=probability(changed), crf=probability(crf),
        )  # fmt: skip
        lesson.say("bias-hmm", letter=letter, hmm=probability(hmm))
        if summary.feasible and m > 1:
            with lesson.fold(key="evidence") as is_open:
                if is_open:
                    lesson.say("bias-here", **label_bias.on_screen(problem, summary))
with place:
    for name, scored in (("MEMM", label_bias.memm(heard)), ("CRF", heard)):
        if heard_of or name == "MEMM":
            unheard = label_bias.memm(label_bias.heard(letter, 0.0))
            word, p = label_bias.reads(scored)
            read = f"**{name}**: {word}, {probability(p)}"
            st.markdown(read if heard_of else f"**{told('ask.before')}**")
            payload = flow.of_chain(
                (scored if heard_of else unheard).chain(),
                heard.tags,
                heard.tokens if heard_of else ("r", "?", "b"),
                label=told("ask.readings", name=name, letter=letter) if heard_of else "Both words",
            )
            flows.flow(payload, key=f"graphs.flow.{name}", height=130)

# ---------------------------------------------------------------------- its kin

lesson.has("family")
twins = lesson.view.screen == "twins"  # what lectures call the map, too
if lesson.shows_everything(asked=twins or lesson.view.screen == "family"):
    place, text = lesson.split("twins" if twins else "family")
    with text:
        lesson.say("family")
        lesson.say("features")
        formula = "p(y | x) = exp(w · Φ(x, y)) / Σ_y' exp(w · Φ(x, y'))"
        st.html(f'<p class="crf-prose crf-formula">{factor_graph.formula_html(formula)}</p>')
    with place:
        drawing.draw(family.family(), key="graphs.family")

rows = {"Label bias": exports.Table.of(label_bias.rows)}
if now is not None:
    rows["Dependence of pairs"] = exports.Table.of(partial(independence.rows, problem, now.pairs))
lesson.foot(rows)
lesson.close()
