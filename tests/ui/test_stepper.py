"""The stepper's Python side: a step from the client is never trusted."""

import secrets
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from streamlit.testing.v1 import AppTest

from crf import LinearChain
from crf.trace import trace
from pages.shared.ui import stepper as steppers
from pages.shared.ui.component_data import parts
from pages.shared.ui.computed import IdentityKey


def page(forged, start=0, predict=None, space="log"):
    import streamlit as st
    import torch

    from crf import LinearChain
    from crf.trace import trace
    from pages.shared.ui.stepper import Display, TraceOptions, stepper

    if forged != "nothing":
        st.session_state["trellis"] = {"at": forged}
    chain = LinearChain(torch.zeros(1, 2, 2), torch.zeros(2, 2), backend="plain")
    options, display, beside = TraceOptions(space=space), Display(predict), {"step": start}
    shown = trace(chain, algorithm="viterbi")
    st.text(stepper(shown, key="trellis", options=options, display=display, beside=beside))


def opened(forged, **how):
    app = AppTest.from_function(page, args=(forged,), kwargs=how, default_timeout=60).run()
    assert not app.exception
    return app


@pytest.mark.parametrize(
    ("said", "step"),
    [("nothing", 2), ([10**400, False, False], 6), ([3.0], 3), ([], 2), ("3", 2), ({"at": 3}, 2)],
)
def test_the_step_is_clamped_or_ignored(said, step):
    assert opened(said, start=2).text[0].value == str(step)


def sent(**options):
    (packed,) = (part.proto.bytes for part in opened("nothing", **options).get("bidi_component"))
    return parts(packed)[0]["trace"]


def test_what_is_sent_changes_with_the_options():
    first, other = sent(predict=True), sent(space="probability")
    assert first["view"]["predict"]
    assert not first["view"]["hide"]
    assert "ask" in first["steps"][-1]
    assert "ask" not in other["steps"][-1]
    assert first["labels"] != other["labels"]


def test_of_a_class_that_sees_the_same_trace_in_the_same_way_it_is_packed_once(monkeypatch):
    packed = []

    def zipped(shown):
        packed.append(shown)
        time.sleep(0.05)
        return secrets.token_bytes(8)

    monkeypatch.setattr(steppers, "zipped", zipped)
    chain = LinearChain(torch.zeros(1, 2, 2), torch.zeros(2, 2), backend="plain")
    traces = trace(chain), trace(chain)
    looks = [steppers.Display(scale=scale) for scale in (1.0, 1.5)]

    def ask(k):
        shown = IdentityKey(traces[k % 2])
        return steppers._packed(shown, steppers.TraceOptions(), looks[k // 2 % 2], "a", "en")

    with ThreadPoolExecutor(16) as class_:
        answers = list(class_.map(ask, range(16)))
    assert len(packed) == len(set(answers)) == 4  # two traces, each in two sizes
