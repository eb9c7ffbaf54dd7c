"""Lesson: what the model assumes, drawn as a graph, and how HMM, MEMM and CRF differ."""

import math
from functools import partial

import streamlit as st

from crf.figures.flow import payload as flow
from crf.figures.trellis.narration import quoted
from pages.graphs import factor_graph, family, independence, label_bias, picture
from pages.graphs.picture import say
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
    "graphs.sees", "token", address="sees", labels={"token": "", "sentence": ""},
    words=lambda sees: say(f"sees.{sees}"),
)  # fmt: skip
LETTER = Choice("graphs.letter", "o", address="letter", labels={"o": "o", "i": "i"})
FIX = SessionValue("graphs.fix.{}", 0)  # a token’s tag, in its field
# whether a link asked for fixed tags: then all is shown
LINKED = SessionValue("graphs.linked", False)
TELLS = (fixed_tags.ADDRESS, LETTER.address)  # of the address: the answers

is_new = fixed_tags.is_new("graphs")
own = partial(fixed_tags.query, "graphs")
lesson = Lesson.open("graphs", controls=(MODEL, SEES, LETTER), own=own)
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
    st.html(factor_graph.formula_html(graph.formula))
    if model != "hmm" and graph.sees == "token" and problem_state.is_of_a_tagger():
        lesson.say("sees-token-tagger", all_words=SEES.label("sentence"))
    elif model != "hmm":
        lesson.say(f"sees-{graph.sees}")
    if not summary.feasible:
        lesson.say("none")
    elif free and now and m < 2:
        lesson.say("one-token")
    elif free and now:
        unrelated = all(pair.dependence < independence.TOLD for pair in free.pairs)
        lesson.say("unrelated" if unrelated else "depends")
        if unrelated and lesson.asks:
            problem_bar.offer(DEFAULT, key="graphs.example")
        seen = LINKED.value or m < 3 or unrelated
        if not seen:
            seen = question.guess(
                say("ask.middle", middle=quoted(problem.tokens, m // 2)), ["yes", "no"], 1,
                key="graphs.guess", subject=problem.tokens, why=say("ask.fix-it"), tells=TELLS,
            )  # fmt: skip
        if seen and not unrelated:
            lesson.say("fix")
        if seen and held:
            for paragraph, facts in independence.paragraphs(problem, free, now):
                lesson.say(paragraph, **facts)
with graph_place:
    local = None
    if model == "memm":
        leads = label_bias.memm(problem)
        rows = [[leads.start], *(leads.matrix(t) for t in range(1, m))]
        local = {t: [list(map(math.exp, row)) for row in table] for t, table in enumerate(rows)}
    shown = now if seen or not held else free
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
            note(say("ask.later"))

# ---------------------------------------------------------------------- label bias

place, text = lesson.split("bias")
letter = LETTER.value
other = "i" if letter == "o" else "o"
heard = label_bias.heard(letter)
with text:
    rib, rob = (label_bias.probabilities("o", word)[0] for word in label_bias.WORDS)
    lesson.say("bias", rib=probability(rib), rob=probability(rob), letter=letter)
    heard_of = question.guess(
        say("ask.memm"), [say(f"ask.{answer}") for answer in ("rob", "rib", "half")], 1,
        key="graphs.bias", subject="rib-rob", why=say("ask.no-say"), tells=TELLS,
    )  # fmt: skip
    if heard_of:
        if lesson.asks:
            LETTER.widget(say("ask.letter"))
        memm, crf, hmm = map(probability, label_bias.probabilities(letter, f"r{letter}b"))
        changed = probability(label_bias.probabilities(other, f"r{letter}b")[0])
        facts = {"letter": letter, "other": other, "memm": memm, "memm_other": changed}
        lesson.say("bias-why", crf=crf, **facts)
        lesson.say("bias-hmm", letter=letter, hmm=hmm)
        if summary.feasible and m > 1:
            with lesson.fold(key="evidence") as is_open:
                if is_open:
                    lesson.say("bias-here", **label_bias.on_screen(problem, summary))
with place:
    if heard_of:
        for k, (name, scored) in enumerate((("MEMM", label_bias.memm(heard)), ("CRF", heard))):
            found = {w: label_bias.probabilities(letter, w)[k] for w in label_bias.WORDS}
            word = max(found, key=found.__getitem__)
            st.markdown(f"**{name}**: {word}, {probability(found[word])}")
            label = say("ask.readings", name=name, letter=letter)
            payload = flow.of_chain(scored.chain(), heard.tags, heard.tokens, label=label)
            flows.flow(payload, key=f"graphs.flow.{name}", height=130)
    else:
        st.markdown(f"**{say('ask.before')}**")
        chain = label_bias.memm(label_bias.heard(letter, 0.0)).chain()
        payload = flow.of_chain(chain, heard.tags, ("r", "?", "b"), label="Both words")
        flows.flow(payload, key="graphs.flow.MEMM", height=130)

# ---------------------------------------------------------------------- its kin

lesson.has("family")
twins = lesson.view.screen == "twins"  # what lectures call the map, too
if lesson.shows_everything(asked=twins or lesson.view.screen == "family"):
    place, text = lesson.split("twins" if twins else "family")
    with text:
        lesson.say("family")
        lesson.say("features")
        st.html(factor_graph.formula_html("p(y | x) = exp(w · Φ(x, y)) / Σ_y' exp(w · Φ(x, y'))"))
    with place:
        drawing.draw(family.family(), key="graphs.family")

tables = {"Label bias": exports.Table.of(label_bias.rows)}
if now is not None:
    tables["Dependence of pairs"] = exports.Table.of(partial(independence.rows, problem, now.pairs))
lesson.foot(tables)
lesson.close()
