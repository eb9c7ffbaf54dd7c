"""What SECURITY.md promises for a class, each promise once; what comes may be anything."""

import ast
import csv
import io
import json
import re
import sqlite3
from contextlib import redirect_stdout
from itertools import cycle, islice
from pathlib import Path

import pytest

from crf.figures.languages import LANGUAGES
from pages import beats
from pages.shared.ui import preload
from pages.shared.ui.language import speaking
from pages.teach.classroom import network, pictures
from pages.teach.classroom.door import BURST, LECTURER, PHONE, Pace
from pages.teach.classroom.news import EMPTIED, MOVED, News, NewsLine
from pages.teach.classroom.room import RefusedError, Room
from pages.teach.classroom.store import Store, Vote
from tests.ui.asgi import answer, run_apart

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "pages/teach/classroom"
BET = {"lesson": "trellis", "beat": "bet", "state": {"ex": "old-man"}}
COLUMN = BET | {"beat": "column"}
ASKED = [
    (lesson, beat) for lesson, all_beats in beats.LESSONS.items() for beat in all_beats if beat.bet
]


def post(app, path, said, head, **more):
    """Status and message of the answer to some JSON."""
    body = said if isinstance(said, bytes) else json.dumps(said, allow_nan=False).encode()
    status, _, text = answer(app, path, "POST", head | more, body)
    return status, (json.loads(text) if text else {}).get("message", "")


# ---------------------------------------------------------------------- who may what


def test_without_a_class_nothing_of_it_is_imported():
    """Two files know the way in, and go it on a condition."""
    ways_in = {ROOT / "app.py", ROOT / "pages/router.py"}
    for path in {*ROOT.glob("pages/**/*.py")} - {*FOLDER.glob("**/*.py"), *ways_in}:
        assert not re.search(r"teach(\.| import )classroom", path.read_text("utf-8")), path
    assert not [name for name in preload.module_names() if "classroom" in name]
    for path in ways_in:
        nodes = [*ast.walk(ast.parse(path.read_text("utf-8")))]
        on_condition = {n for node in nodes if isinstance(node, ast.If) for n in ast.walk(node)}
        imports = {node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)}
        ways = {node for node in imports if "classroom" in ast.unparse(node)}
        assert ways
        assert ways <= on_condition


def test_who_has_not_joined_is_told_nothing(app, room):
    room.show(room.read(BET))
    assert answer(app, "/class")[:2][0] == 303
    told = room.pictures.told(room.shown, "en")
    for head in ({}, {"cookie": f"{PHONE}=abc.def"}, {"cookie": f"{LECTURER}=x"}):
        for path in (f"/class/picture/{told['picture']}", "/class/lead"):
            assert answer(app, path, headers=head)[0] in (303, 403)
        assert post(app, "/class/vote", {"question": "q", "answer": "a"}, head)[0] == 403
    status, _, body = answer(app, "/class/news", headers={"cookie": f"{PHONE}=abc.def"})
    assert (status, body) == (200, EMPTIED)  # joins again
    assert answer(app, "/class/news")[0] == 403


def test_who_is_in_and_opens_the_link_again_is_in(app, room, join):
    head, own = join(), f"code={room.keys.code.lower()}"

    def opened(query, headers):
        status, received, _ = answer(app, "/join", headers=headers, query_string=query.encode())
        return status, received.get("location")

    for query in (own, "", "emptied=1"):
        assert opened(query, head) == (303, "/class"), query
    assert opened("code=OTHER", head)[0] == 200  # of another class
    assert opened(own, {})[0] == 200
    room.empty()
    assert opened(own, head)[0] == 200


def test_no_sentence_for_a_browser_names_a_file_of_the_lecturer_s(app, room, join, lecturer):
    room.show(room.read(BET))
    head, question = join(), room.scene.question
    pages = room.store.file.execute("PRAGMA page_count").fetchone()[0]
    room.store.file.execute(f"PRAGMA max_page_count = {pages}")
    room.store.file.execute(
        "CREATE TEMP TRIGGER full BEFORE INSERT ON main.votes "
        "BEGIN SELECT RAISE(FAIL, 'database or disk is full'); END"
    )
    said = post(app, "/class/vote", {"question": question, "answer": "w1"}, head)
    room.store.file.close()
    for status, message in (
        said,
        post(app, "/class/vote", {"question": question, "answer": "w1"}, head),
        post(app, "/class/show", COLUMN, lecturer),
        post(app, "/class/door", {"do": "lock"}, lecturer),
    ):
        assert (status, "kept before is safe" in message) == (503, True)
        assert str(room.store.path.parent) not in message


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "cp437", "utf-8"])
def test_a_class_is_announced_on_every_terminal(encoding):
    with io.TextIOWrapper(io.BytesIO(), encoding) as terminal, redirect_stdout(terminal):
        network.show(network.announcement("K7QF9", ["http://10.0.0.1:8501"], "0.0.0.0", ""))
        terminal.flush()
        text = terminal.buffer.getvalue().decode(encoding)
    assert "http://10.0.0.1:8501/join   code K7QF9" in text
    assert ("█" in text) == (encoding in ("cp437", "utf-8"))


def test_only_the_lecturer_leads(app, room, join, lecturer):
    for head in ({}, {"cookie": f"{LECTURER}=x"}, join()):
        for path, said in (("/class/show", BET), ("/class/door", {"do": "lock"})):
            status, message = post(app, path, said, head)
            assert (status, "Only the lecturer" in message) == (403, True)
    assert room.shown is None
    assert post(app, "/class/show", BET, lecturer)[0] == 200
    assert room.shown.beat == "bet"
    assert post(app, "/class/door", {"do": "lock"}, lecturer)[0] == 204
    assert room.locked


def test_the_lecturer_s_link_and_no_other_opens_the_door(app, room):
    status, head, _ = answer(app, "/lead", query_string=f"token={room.keys.token}".encode())
    assert (status, head["location"]) == (303, "/class/lead")
    assert "HttpOnly" in head["set-cookie"]
    assert "SameSite=lax" in head["set-cookie"]
    for token in (b"", b"token=", b"token=x", b"token=" + room.keys.code.encode()):
        assert answer(app, "/lead", query_string=token)[0] == 403


def test_a_forged_cookie_or_token_is_nobody_s(room, tmp_path):
    cookie = room.join(room.keys.code, None)
    phone, _, signature = cookie.rpartition(".")
    other = Room(Store(tmp_path / "other"), beats.LESSONS)
    for forged in (
        None, 3, "", ".", phone, f"{phone}.", f"x{cookie}", f"{phone}.{signature[:-1]}x",
        f"boss.{signature}", "é.ü", "\ud800.x", "x" * 5000, other.join(other.keys.code, None),
    ):  # fmt: skip
        assert room.phone(forged) == ""
        assert not room.is_lecturer(forged)
    assert room.phone(cookie) == phone
    other.store.close()


def test_the_code_is_read_as_people_type_it_and_nothing_else_is(app, room):
    code = room.keys.code
    for typed, status in (
        (code, 303),
        (f" {code[:2].lower()} {code[2:]}\n", 303),
        ("", 403),
        ("<b>", 403),
        ("é" * 30, 403),
        ("x" * 2000, 413),
    ):
        found, _, text = answer(app, "/join", "POST", body=f"code={typed}".encode())
        assert (found, b"<b>" in text) == (status, False)


def test_the_store_has_no_address_and_an_answer_no_author(app, room, join, lecturer):
    post(app, "/class/show", BET, lecturer)
    head = join()
    assert (
        post(app, "/class/vote", {"question": room.scene.question, "answer": "w1"}, head)[0] == 200
    )
    with sqlite3.connect(room.store.path) as file:
        text = "\n".join(file.iterdump())
    assert not re.search(r"\d+\.\d+\.\d+\.\d+|localhost|testclient", text)
    told = json.dumps([room.tally(), room.pictures.told(room.shown, "en")], allow_nan=False)
    assert head["cookie"].partition("=")[2].partition(".")[0] not in told


def test_an_emptied_room_knows_nobody_until_they_join_anew(app, room, join, lecturer):
    head = join()
    assert post(app, "/class/door", {"do": "empty"}, lecturer)[0] == 204
    assert answer(app, "/class", headers=head)[0] == 303
    assert post(app, "/class/vote", {"question": "q", "answer": "a"}, head)[0] == 403
    assert room.phone(room.join(room.keys.code, None))


def test_the_door_lets_a_class_in_and_opens_again_however_many_knock(monkeypatch):
    clock = iter([*[0.0] * (BURST + 50), 10.0, 10.0])
    monkeypatch.setattr("pages.teach.classroom.door.time.monotonic", lambda: next(clock))
    pace = Pace()
    assert sum(pace.allows("10.0.0.1") for _ in range(BURST + 49)) == BURST
    assert pace.allows("2001:db8::1")  # another one
    assert pace.allows("10.0.0.1")


# ---------------------------------------------------------------------- what phones are sent


@pytest.mark.parametrize(
    ("lesson", "beat"), ASKED, ids=[f"{one[0]}-{one[1].name}" for one in ASKED]
)
def test_nothing_that_is_sent_before_the_reveal_holds_the_answer(room, lesson, beat):
    asked = {"lesson": lesson, "beat": beat.name, "state": {}}
    for named in (False, True):
        room.show(room.read(asked | {"named": named}))
        if room.scene.phase == "":
            pytest.skip("the usual example leaves nothing to ask here")
        told = room.pictures.told(room.shown, "en")
        bet = told["now"]["bet"]
        assert (bet["right"], bet["answer"], bet["revealed"], "answers" in bet) == (
            None,
            None,
            False,
            False,
        )
        assert told["now"]["say"] == told["now"]["equation"] == []
        moving = room.pictures.told(room.read(asked | {"resting": False}), "en")
        assert moving["now"]["bet"]["right"] is None
    room.show(room.read(asked | {"state": {"bet": "."}}))
    assert (room.scene.phase, room.scene.question) == ("over", told["question"])
    assert room.pictures.told(room.shown, "en")["now"]["bet"]["right"] is not None


def test_the_column_s_numbers_come_with_the_reveal(room):
    def sent(**more):
        room.show(room.read(COLUMN | more))
        told = room.pictures.told(room.shown, "en")
        return json.dumps(told, allow_nan=False) + unzipped(room, told)

    assert "15.9" not in sent() + sent(named=True)
    assert "15.9" in sent(state={"ex": "old-man", "bet": "-"})


def test_phones_follow_the_lecturer_s_notation_but_what_a_class_fills_is_in_ours(room):
    form = {"ex": "old-man", "form": "message"}

    def picture(beat, **parts):
        room.show(room.read(BET | {"beat": beat, "state": form | parts}))
        return json.loads(unzipped(room, room.pictures.told(room.shown, "en")))["picture"]

    added = picture("add", step="11")
    assert (added["form"], round(added["values"][2][3], 2)) == ("message", 8.63)
    for bet in ("", "-"):
        assert picture("column", step="15", bet=bet)["form"] == "state"
    assert room.scene.task.right(15) == pytest.approx(10.08, abs=0.005)  # as a message, 13.08


def unzipped(room, told):
    import gzip

    return gzip.decompress(room.pictures.picture(told["picture"])).decode()


def test_a_picture_stays_while_one_steps_and_now_is_small(room):
    names, sizes = set(), []
    for step in range(12, 16):
        state = {"ex": "old-man", "step": str(step)}
        room.show(room.read(BET | {"beat": "add", "state": state}))
        told = room.pictures.told(room.shown, "en")
        names.add(told["picture"])
        sizes.append(len(json.dumps(told, allow_nan=False)))
    assert len(names) == 1
    assert max(sizes) < 6000
    assert room.pictures.picture("nothing") is None


def test_a_phone_is_spoken_to_in_its_own_language(app, room, join):
    room.show(room.read({"lesson": "tag", "beat": "flow", "state": {"ex": "old-man"}}))
    said = {one: json.dumps(room.pictures.told(room.shown, one)["now"]["say"]) for one in LANGUAGES}
    assert len(set(said.values())) == len(LANGUAGES)
    for language, word in (
        ("de-AT,en;q=.5", b"Teilnehmen"),
        ("zh", "加入".encode()),
        ("fr", b"Join"),
    ):
        head = {"accept-language": language}
        assert word in answer(app, "/join", headers=head)[2]
    page = answer(app, "/class", headers=join() | {"accept-language": "de"})[2]
    assert b"Warten Sie, bis es losgeht" in page


def heard(room, news, *names, **how):
    """What lines are told until they wait."""

    async def read():
        import asyncio

        streams = [news.stream(name, NewsLine("en", False, room.emptied)) for name in names]
        found = []
        for stream in streams:
            assert await anext(stream) == b"retry: 1000\n\n"
            try:
                while True:
                    found.append(await asyncio.wait_for(anext(stream), 0.5))
            except (TimeoutError, StopAsyncIteration):
                pass
        return found

    return run_apart(read)


def test_a_line_is_told_what_is_shown_now_and_a_newer_one_ends_it(room):
    news = News(room)
    assert heard(room, news, "ann") == []
    room.show(room.read(BET))
    (event,) = heard(room, News(room), "ann")
    assert json.loads(event[6:])["beat"] == "bet"

    async def twice():
        news = News(room)
        first, second = (news.stream("ann", NewsLine("en", False, room.emptied)) for _ in range(2))
        for stream in (first, second):
            await anext(stream)
        return await anext(first)

    assert run_apart(twice) == MOVED


def test_a_server_that_is_started_again_shows_what_was_shown(room):
    room.show(room.read(COLUMN))
    question = room.scene.question
    again = Room(Store(room.store.path), beats.LESSONS)
    again.go_on()
    assert (again.keys, again.shown, again.scene.question) == (room.keys, room.shown, question)
    room.store.show('{"lesson": "gone"}')
    again.shown = None
    again.go_on()
    assert again.shown is None
    again.store.close()


# ---------------------------------------------------------------------- answers


def test_all_votes_of_a_lecture_are_on_one_page_and_in_one_file(app, room, join, lecturer):
    phones = [join() for _ in range(3)]
    assert answer(app, "/class/votes", headers=phones[0])[0] == 303  # the lecturer's alone
    assert b"Nobody has voted yet" in answer(app, "/class/votes", headers=lecturer)[2]
    mind = BET | {"beat": "mind"}
    asked = ((BET, "w1 w2 w1"), (COLUMN, "15.93 8 9.17"), (mind, "t3 t2 t2"))
    for shown, answers in asked:
        post(app, "/class/show", shown, lecturer)
        for head, text in zip(phones, answers.split(), strict=True):
            said = {"question": room.scene.question, "answer": text}
            assert post(app, "/class/vote", said, head)[0] == 200
    post(app, "/class/show", BET | {"beat": "count"}, lecturer)  # nobody answers
    status, headers, text = answer(app, "/class/votes.csv", headers=lecturer)
    rows = list(csv.reader(io.StringIO(text.decode("utf-8-sig"))))
    assert (status, headers["content-type"][:8]) == (200, "text/csv")
    assert rows[0] == ["question", "cell", "answer", "votes", "right"]
    assert [row[1:] for row in rows if "by itself" in row[0]][:3] == [
        ["", "The", "0", "0"], ["", "old", "2", "1"], ["", "man", "1", "0"],
    ]  # fmt: skip
    assert ["the, DET", "15.93", "1", "1"] in [row[1:] for row in rows]
    assert ["the, ADJ", "8.00 (best way alone)", "1", "0"] in [row[1:] for row in rows]
    assert ["the, DET", "VERB", "1", "1"] in [row[1:] for row in rows]  # a way, by its tag
    assert not any(row[0].startswith("count") for row in rows)
    page = answer(app, "/class/votes", headers=lecturer | {"accept-language": "de"})[2].decode()
    assert "Abstimmungen" in page
    assert "8,00" in page


def test_a_bet_is_voted_on_counted_and_closed(app, room, join, lecturer):
    phones = [join() for _ in range(3)]
    post(app, "/class/show", BET, lecturer)
    question = room.scene.question
    for head, option in zip(phones, ("w1", "w2", "w1"), strict=True):
        status, message = post(app, "/class/vote", {"question": question, "answer": option}, head)
        assert (status, "You can change it" in message) == (200, True)
    tally = room.tally()
    assert (tally["answered"], tally["options"]["w1"], tally["phase"]) == (3, 2, "open")
    post(app, "/class/show", BET | {"state": {"ex": "old-man", "bet": "w2"}}, lecturer)
    assert post(app, "/class/vote", {"question": question, "answer": "w1"}, phones[0])[0] == 409
    assert (room.tally()["phase"], room.tally()["options"]["w2"]) == ("over", 1)
    bet = room.pictures.told(room.shown, "en")["now"]["bet"]
    assert bet["right"] == "w1"
    assert [bet["answers"][name][0][:5] for name in ("w1", "w2")] == ["Right", "Not q"]


def test_a_column_is_shared_out_and_its_slips_are_named_only_on_the_projector(room):
    room.show(room.read(COLUMN))
    phones = [room.phone(room.join(room.keys.code, None)) for _ in range(9)]
    steps = [pictures.step_of(room.scene, room.store.place(phone)) for phone in phones]
    assert steps == [12, 13, 14, 15] * 2 + [12]
    typed = ["15.93", "8.2", "9.0", "13.1", "15.9", "8,21", "9", "1/0x", "10.93"]
    for phone, text in zip(phones, typed, strict=True):
        if text in ("8,21", "1/0x"):
            with pytest.raises(RefusedError, match=r"Type one like 8\.21"):
                room.vote(phone, room.scene.question, text)
        else:
            assert room.vote(phone, room.scene.question, text) == "counted"
    open_tally = room.tally()
    assert open_tally["answered"] == 7
    assert not any("slips" in cell for cell in open_tally["cells"])
    room.show(room.read(COLUMN | {"named": True}))
    named = room.tally()
    assert [cell["right"] for cell in named["cells"]] == [2, 1, 0, 0]
    assert named["cells"][0]["commonest"] in ("15.93", "15.90")
    assert [(s["value"], s["n"]) for s in named["cells"][2]["slips"]] == [("9.00", 2)]
    assert [s["label"] for s in named["cells"][0]["slips"]] == ["word’s own score forgotten"]
    text = "".join(part if isinstance(part, str) else part["text"] for part in named["say"])
    assert text.startswith("3 of 7 found the sum.")
    told = json.dumps(room.pictures.told(room.shown, "en"), allow_nan=False)
    assert "forgotten" not in told
    assert room.vote(phones[0], room.scene.question, "1") == "closed"


def test_in_keep_best_a_phone_chooses_the_way_that_its_cell_keeps(room):
    room.show(room.read(BET | {"beat": "mind"}))
    assert (room.scene.task.kind, room.scene.task.steps) == ("edge", (12, 13, 14, 15))
    phones = [room.phone(room.join(room.keys.code, None)) for _ in range(4)]
    for phone in phones:
        assert room.vote(phone, room.scene.question, "t3") == "counted"
        with pytest.raises(RefusedError, match="not one of the answers"):
            room.vote(phone, room.scene.question, "t4")
    room.show(room.read(BET | {"beat": "mind", "named": True}))
    assert room.tally()["cells"][0]["right"] == 1  # the, DET keeps the way from VERB


def test_a_number_of_any_beat_is_asked_of_all(room):
    """Where a beat has no cells to share out."""
    scene = pictures.ShownBeat(room.lessons["trellis"][0], None, None, (), "open", "q")
    assert pictures.read_answer(scene, " 7/2 ") == "3.5"
    assert pictures.tally(scene, [Vote(0, "3.5")], "trellis")["answered"] == 1


RIGHT = (  # what the four cells of the column hold, as phones of three languages type it
    ("en", ["15.93", "8.21", "9.17", "10.08"]),
    ("de", ["15,93", "8,21", "9,17", "10,08"]),
    ("zh", ["15.93", " 8.21", "+9.17", "10.08"]),
)


@pytest.mark.parametrize("lecturer_speaks", LANGUAGES)
def test_a_right_number_is_right_in_whatever_language_it_was_typed(
    app, room, join, lecturer, lecturer_speaks
):
    room.show(room.read(COLUMN))
    for speak, typed in RIGHT:
        for text in typed:
            head, said = join() | {"accept-language": speak}, {"answer": text}
            said |= {"question": room.scene.question}
            assert post(app, "/class/vote", said, head)[0] == 200
    post(app, "/class/show", COLUMN | {"named": True}, lecturer)
    with speaking(lecturer_speaks):
        tally = room.tally()
    assert [cell["right"] for cell in tally["cells"]] == [3, 3, 3, 3]
    assert not any(cell["slips"] for cell in tally["cells"])
    said = "".join(part if isinstance(part, str) else part["text"] for part in tally["say"])
    assert said.count("12") == 2


@pytest.mark.parametrize(
    "text", ["5" + " " * 59 + "and a sentence", "<b>5</b>", "5" * 61, "five", "", "w1", "nan"]
)
def test_of_a_vote_nothing_but_a_number_is_kept(app, room, join, text):
    room.show(room.read(COLUMN))
    said = {"question": room.scene.question, "answer": text}
    status, message = post(app, "/class/vote", said, join())
    assert status == 422
    assert message == "That is no number that can be sent. Type one like 8.21."
    assert room.store.votes(room.scene.question) == []


def test_of_what_an_earlier_version_kept_numbers_are_counted(room):
    room.show(room.read(COLUMN))
    for text in ("15.93", "15,93", "5" + " " * 59 + "Hello", "<b>"):
        phone = room.phone(room.join(room.keys.code, None))
        room.store.vote(room.scene.question, phone, Vote(12, text))
    room.show(room.read(COLUMN | {"named": True}))
    first = room.tally()["cells"][0]
    assert (first["answered"], first["right"], first["slips"]) == (2, 2, [])


def test_a_wrong_number_is_a_slip_by_name_or_another_number(room):
    room.show(room.read(COLUMN))
    question = room.scene.question
    for text in ("15.93", "8.1", "9.17", "10.8", "15.63", "8.08", "5", "10.8"):
        room.vote(room.phone(room.join(room.keys.code, None)), question, text)
    room.show(room.read(COLUMN | {"named": True}))
    rows = room.tally()["cells"]
    assert [(row["value"], row["right"]) for row in rows] == [
        ("15.93", 1),
        ("8.21", 0),
        ("9.17", 1),
        ("10.08", 0),
    ]
    slips = [[(s["n"], s["value"], s["label"]) for s in row["slips"]] for row in rows]
    assert slips == [
        [(1, "15.63", "largest way only")],
        [(2, "8.08", "largest way only")],
        [(1, "5.00", "another number")],
        [(2, "10.80", "another number")],
    ]


@pytest.mark.parametrize(
    "said",
    [
        b"", b"{", b"[]", b"null", b"\xff\xfe", b"[" * 5000, b'{"lesson": 3}', b"x" * 20_000,
        {"lesson": "nowhere", "beat": "bet", "state": {}}, BET | {"beat": "no"},
        BET | {"state": []}, BET | {"state": {"ex": 3}}, BET | {"lesson": ["trellis"]},
        {"question": 3, "answer": "a"}, {"question": "q", "answer": ["a"]}, {"do": ["lock"]},
        {"do": "unlock"},
    ],
)  # fmt: skip
def test_what_is_no_message_is_refused_by_a_sentence(app, join, lecturer, said):
    for path, head in (
        ("/class/show", lecturer),
        ("/class/door", lecturer),
        ("/class/vote", join()),
    ):
        status, message = post(app, path, said, head)
        assert (status, message.endswith(".")) == (422, True)


UNREADABLE = (
    {"ex": "<script>"},
    {"sentence": "👩‍🚀 שלום " * 200},
    {"edit": "t:DET:NOUN_nan"},
    {"step": "-1"},
    {"step": "9" * 30},
    {"bet": "x" * 900},
    {"fix": "9.9~a.b"},
    {"t": "~"},
)
OTHER_TURNS = [pytest.param(k, marks=pytest.mark.thorough) for k in range(1, len(UNREADABLE))]


@pytest.mark.parametrize("turn", [0, *OTHER_TURNS])
def test_a_state_that_cannot_be_read_is_shown_as_its_default(app, room, lecturer, turn):
    """Each beat in one of these states, the next beat in the next; over all turns in all."""
    every = ((lesson, beat.name) for lesson, each in beats.LESSONS.items() for beat in each)
    states = islice(cycle(UNREADABLE), turn, None)
    for (lesson, beat), state in zip(every, states, strict=False):
        shown = {"lesson": lesson, "beat": beat, "state": state}
        assert post(app, "/class/show", shown, lecturer)[0] == 200
        with speaking("de"):
            room.tally()
        assert room.pictures.told(room.shown, "de")["now"] is not None


def test_a_phone_that_goes_away_while_it_joins_leaves_no_traceback(app):
    sent = []

    async def gone():
        return {"type": "http.disconnect"}

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": "/join", "headers": [], "query_string": b""}
    run_apart(lambda: app(scope, gone, send))
    assert sent[0]["status"] == 403
