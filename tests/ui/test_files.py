"""Uploads: used once or refused with the file's name; files that belong together wait."""

from streamlit.testing.v1 import AppTest


def page(most: int | None):
    import streamlit as st

    from pages.shared.course.problem import ProblemError
    from pages.shared.ui.files import loader, loader_of_several

    used = st.session_state.setdefault("used", [])

    def use(content: bytes, name: str) -> None:
        if not content.isdigit():
            raise ProblemError("expected digits, got others; write digits")
        used.append((name, content))

    def use_both(files):
        if len(files) < 2:
            raise ProblemError("Two files belong together")
        used.append(dict(files))

    loader("One", "Expected digits in a text file.", "one", use, most=most)
    loader_of_several("Two", "two", use_both)


def opened(most: int | None = 4) -> AppTest:
    return AppTest.from_function(page, args=(most,)).run()


def said(app: AppTest) -> list[str]:
    assert not app.exception
    return [error.value.replace("\\", "") for error in app.error]


def test_a_file_is_used_once_or_refused_with_its_name_and_the_reason():
    app = opened()
    for name, content, why in (
        ("a.txt", b"12", ""),
        ("x.txt", b"x", "expected digits, got others; write digits"),
        ("long.txt", b"12345", "expected at most 4 bytes, got 5"),
        ("b.txt", b"34", ""),
    ):
        app.file_uploader[0].upload(name, content).run()
        told = f"{name}: {why}. Expected digits in a text file."
        assert said(app) == ([told] if why else [])
        assert (app.file_uploader[0].value is None) == (not why)  # what is refused stays
        assert said(app.run()) == ([told] if why else [])
    assert app.session_state["used"] == [("a.txt", b"12"), ("b.txt", b"34")]
    free = opened(most=None)
    free.file_uploader[0].upload("long.txt", b"12345").run()
    assert free.session_state["used"] == [("long.txt", b"12345")]


def test_files_that_belong_together_wait_for_the_others():
    app = opened()
    app.file_uploader[1].upload("a", b"1").run()
    assert said(app.run()) == ["Two files belong together."]
    app = opened()
    app.file_uploader[1].upload("a", b"1")
    app.file_uploader[1].upload("b", b"2").run()
    assert said(app) == []
    assert app.session_state["used"] == [{"a": b"1", "b": b"2"}]
    assert not app.file_uploader[1].value
