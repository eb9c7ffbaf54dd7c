"""A class: a lecturer and three phones on one server; two servers, one of which is killed."""

import shutil
from pathlib import Path

import pytest

from benchmarks import followers
from benchmarks.browsing import until
from benchmarks.serving import serving
from pages.shared.course.classroom.ballot import quiz
from pages.shared.course.classroom.classroom import Classroom
from pages.shared.course.classroom.store import open_store
from pages.shared.course.lecture import Stop

NO_CLIPBOARD = """
  const none = { get: () => undefined, configurable: true };
  Object.defineProperty(Navigator.prototype, "clipboard", none);
  document.execCommand = () => { window.copied = document.activeElement.value; return true; };
"""


@pytest.fixture
def a_browser(chromium):
    """Opens a link in a browser of its own, with its own cookies, as on another phone."""
    contexts, errors = [], []

    def opener(url: str, width=1280, height=720):
        contexts.append(chromium.new_context(viewport={"width": width, "height": height}))
        page = contexts[-1].new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(url)
        return page

    yield opener
    for context in contexts:
        context.close()
    assert not errors, errors


def answer_the_second(lecturer, phones):
    """A question of the quiz: asked, answered by all in the same way, revealed to all."""
    lecturer.get_by_text("Exit quiz").click()
    lecturer.get_by_role("button", name="Ask 2").click()
    for phone in phones:
        phone.get_by_text("four times", exact=True).click()
    lecturer.get_by_text("3 of 3 have answered").wait_for()
    lecturer.get_by_role("button", name="Close and reveal").click()
    for page in (lecturer, *phones):
        page.get_by_text("3 · 100 %").wait_for()


@pytest.mark.thorough
def test_three_phones_follow_wander_vote_and_see_what_is_revealed(a_browser, tmp_path):
    log, where = tmp_path / "log", str(tmp_path / "class")
    with serving("app.py", log, "--class", "--store", where) as server:
        room = Classroom(open_store(where))
        code, token, _ = room.keys
        assert f"{server.url}/lead?token={token}" in log.read_text()
        lecturer = a_browser(f"{server.url}/lead?token={token}")
        phones = [a_browser(f"{server.url}/join?code={code}", 390, 844) for _ in range(3)]
        for phone in phones:
            phone.get_by_role("button", name="Join").click()
            phone.get_by_text("Wait for the lecturer").wait_for()
        alone = a_browser(f"{server.url}/join")
        alone.get_by_role("link", name="Read the course without joining").click()
        alone.get_by_role("heading", name="Tag a sentence").wait_for()

        room.lead(Stop("viterbi", "ex=book&hide=prose", "The <b>best</b> path"))
        for phone in phones:
            phone.wait_for_url("**/viterbi?*ex=book*")
            phone.get_by_text("You follow the lecturer: The <b>best</b> path").wait_for()

        stays, wanders, follows = phones
        follows.evaluate("window.loadedOnce = true")
        stays.get_by_role("button", name="Stay here").click()
        wanders.goto(f"{server.url}/glossary")
        wanders.evaluate("window.loadedOnce = true")
        wanders.get_by_role("button", name="Follow").click()
        wanders.get_by_text("You follow the lecturer: The <b>best</b> path").wait_for()
        wanders.wait_for_timeout(11_000)  # after ten seconds a stop that has not come is loaded
        assert wanders.evaluate("window.loadedOnce")
        wanders.goto(f"{server.url}/glossary")
        wanders.get_by_role("button", name="Follow").wait_for()
        room.lead(Stop("glossary", "", "Words"))
        follows.wait_for_url("**/glossary*")
        follows.get_by_text("You follow the lecturer: Words").wait_for()
        assert follows.evaluate("window.loadedOnce")  # another page is drawn, nothing is loaded
        stays.get_by_text("The lecturer shows: Words").wait_for()
        assert "/viterbi" in stays.url
        stays.get_by_role("button", name="Follow").click()
        stays.wait_for_url("**/glossary*")

        answer_the_second(lecturer, phones)

        room.lead(Stop("forward", "", "Sums"))
        room.ask(quiz()[0])  # at once: whoever is on the way there goes on to follow
        for phone in (stays, follows):
            phone.wait_for_url("**/forward*")
            phone.get_by_text("You follow the lecturer: Sums").wait_for()

        follows.evaluate("window.loadedOnce = true")
        room.lead(Stop("forward", "ex=book&step=3&hide=prose", "The same page"))
        follows.wait_for_url("**/forward?*ex=book*")
        follows.get_by_text("You follow the lecturer: The same page").wait_for()
        assert not follows.evaluate("window.loadedOnce")

        follows.context.add_init_script(NO_CLIPBOARD)
        follows.reload()
        until(follows, "navigator.clipboard !== undefined")
        follows.evaluate("navigator.clipboard.writeText('log Z')")
        assert follows.evaluate("window.copied") == "log Z"


@pytest.mark.thorough
def test_nothing_is_lost_when_one_of_two_servers_is_killed(monkeypatch):
    for program in ("redis-server", "nginx"):
        if not (shutil.which(program) or Path(f"/usr/sbin/{program}").exists()):
            pytest.skip(f"no {program} found (on Debian: apt-get install redis-server nginx-light)")
    pytest.importorskip("redis", reason="redis is not installed (requirements-redis.txt)")
    monkeypatch.setattr(followers, "WITHIN", 2.0)
    found = followers.measure(4, 4, 2)
    assert (found["stop"], found["counted"], found["errors"]) == (1, 4, [])
