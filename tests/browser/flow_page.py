"""A page with a flow for the tests: `?example=…`, an emission that moves, what was clicked."""

import streamlit as st

from pages.shared.course.examples import EXAMPLES
from pages.shared.figures.flow import of_chain
from pages.shared.ui.flow import flow


def problem(example="old-man", man=0.5):
    """The problem that the page shows; `man` is the emission of the third word's last tag."""
    shown = EXAMPLES[example].problem
    return shown.with_score("emissions", (2, len(shown.tags) - 1), man)


@st.fragment
def main():
    def hold(token, tag):
        st.session_state.held = f"{token} {tag}"

    query = st.query_params
    man = st.slider("Emission", -5.0, 5.0, 0.5, step=0.25, key="man")
    shown = problem(query.get("example", "old-man"), man)
    drawn = of_chain(shown.chain(), shown.tags, shown.tokens, hint="Nothing is pointed at.")
    flow(drawn, key="flow", on_choice=hold, intro="intro" in query)
    st.text(f"Chosen: {st.session_state.get('held', 'nothing')}")


if __name__ == "__main__":
    st.set_page_config(layout="wide")
    main()
