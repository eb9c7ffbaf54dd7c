"""Behind each sentence that SECURITY.md promises stands a test."""

import re
import tomllib

import pytest

from pages.shared.contents import ROOT

CLASS, SERVER = "teach/test_class.py", "hostile/test_server.py"
STORE, FILES = "teach/test_store.py", "hostile/test_files.py"
HERE = "hostile/test_promises.py::test_the_app_answers_this_machine_and_tells_no_other"
CONTAINER = "hostile/test_promises.py::test_the_container_runs_without_root"
TESTS = {  # how a sentence begins → the tests behind it
    "The app answers on 127.0.0.1 only": [HERE, "browser/conftest.py::open_page"],
    "What you type and load stays": ["ui/server/test_uploads.py::test_all_together_keep_so_much"],
    "Files that you load": [f"{FILES}::test_archives", f"{FILES}::test_weights"],
    "Nothing in them is executed": [
        "test_architecture.py::test_nothing_that_runs_what_it_loads",
        "tagger/test_model_files.py::test_the_kinds",
    ],
    "Their size is limited": [f"{FILES}::test_archives", f"{FILES}::test_json"],
    "The same goes for links": ["course/test_lecture_plan.py::test_a_link_does_not_unpack"],
    "No request costs": [
        "hostile/test_costly_requests.py::test_no_state_costs_much",
        "hostile/test_costly_requests.py::test_no_body_costs_much",
        "hostile/test_costly_texts.py::test_no_text_of_a_control_costs_much",
        "hostile/test_heavy_work.py::test_a_lecture_whose_file_is_dear_keeps_nobody_waiting",
    ],
    "That process has limits": [
        "ui/server/test_worker.py::test_a_job_that_takes_too_long_ends",
        "ui/server/test_worker.py::test_a_job_that_takes_too_much_memory",
        "ui/server/test_worker.py::test_a_job_whose_client_goes_ends",
        "ui/server/test_worker.py::test_when_the_server_ends_so_does_a_job",
    ],
    "Everyone on the network": ["hostile/test_pages.py::test_a_class_at_the_door"],
    "With the class code": ["browser/test_class.py::test_phones_follow_vote"],
    "The store keeps a random number": [f"{CLASS}::test_the_store_has_no_address"],
    "Only the holder of the lecturer's link": [f"{CLASS}::test_only_the_lecturer_leads"],
    "Cookies are signed": [f"{CLASS}::test_a_forged_cookie_or_token_is_nobody_s"],
    "What phones are sent": [f"{CLASS}::test_nothing_that_is_sent_before_the_reveal"],
    "Each phone that has joined": [f"{STORE}::test_a_vote_counts_once_and_one_a_second"],
    "The lecturer can lock the door": [
        f"{STORE}::test_a_locked_room_lets_nobody_new_in",
        f"{CLASS}::test_an_emptied_room_knows_nobody",
    ],
    "Whatever a machine without the code does": [
        f"{SERVER}::test_one_address_without_the_code_does_not_shut_out_the_lecturer",
        f"{SERVER}::test_whatever_a_stranger_asks_again_and_again_the_class_gets_answers",
        f"{SERVER}::test_connections_on_which_nothing_is_sent_keep_nobody_out",
        "ui/test_draw.py::test_pages_that_wait_keep_nothing_else_waiting",
    ],
    "From one address": [f"{CLASS}::test_the_door_lets_a_class_in"],
    "The class is kept in a file": [f"{STORE}::test_the_file_is_for_its_owner_alone"],
    "A confirmed vote": [f"{STORE}::test_no_confirmed_vote_is_lost"],
    "The class ends twelve hours": [f"{STORE}::test_a_class_lives_twelve_hours"],
    "The app refuses a file": [f"{STORE}::test_a_database_of_another_program_is_refused"],
    "The container runs without root": [CONTAINER],
}
NO_PROMISE = "Encryption is the proxy's task"


def promises() -> list[str]:
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    part = text.partition("## What the app promises\n")[2].partition("\n## ")[0]
    paragraphs = re.split(r"\n\n|^- ", part.strip(), flags=re.MULTILINE)
    plain = [" ".join(re.sub(r"\*\*.*?\*\*( \(.*?\))?[.]", "", one).split()) for one in paragraphs]
    return [one for text in plain for one in re.split(r"(?<=\.) (?=[A-Z])", text) if one]


def test_each_promise_has_tests_and_each_row_a_promise():
    found = promises()
    for one in found:
        assert one.startswith((*TESTS, NO_PROMISE)), one
    for begins in TESTS:
        assert any(one.startswith(begins) for one in found), begins


@pytest.mark.parametrize("name", sorted({name for names in TESTS.values() for name in names}))
def test_the_tests_are_there(name):
    path, _, test = name.partition("::")
    assert f"def {test}" in (ROOT / "tests" / path).read_text(encoding="utf-8")


def test_the_app_answers_this_machine_and_tells_no_other():
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert config["server"]["address"] == "127.0.0.1"
    assert config["browser"] | {"gatherUsageStats": False} == config["browser"]
    assert config["server"]["showEmailPrompt"] is False


def test_the_container_runs_without_root():
    text = (ROOT / "deploy" / "Containerfile").read_text(encoding="utf-8")
    users = re.findall(r"^USER (\S+)$", text, re.MULTILINE)
    assert users
    assert users[-1] not in ("0", "root")
    assert not re.search(r"^(?:RUN|ENTRYPOINT|CMD).*\bsudo\b", text, re.MULTILINE)
