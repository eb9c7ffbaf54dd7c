"""Documented cases of the tokenisers, and what must hold of any text at all."""

import unicodedata

import pytest
import regex
from hypothesis import example, given, settings
from hypothesis import strategies as st

from crf.tagger.storage import TOKENISERS
from crf.tagger.tokeniser import spans_between, token_spans, tokenise, word_spans

# A line a case: spaces divide the words, and only those after a "␣" are in the text.
CASES = {
    "clitics": "I␣ do n't␣ ca n't␣ wo n't␣ she 's␣ we 'll␣ they 've␣ I 'd␣ you 're␣ I 'm",
    "typographic apostrophes": "do n’t␣ Iran ’s␣ it ’s␣ she `s",
    "several clitics": "could n't 've␣ he 'd 've",
    "capitals": "DO N'T␣ CAN NOT␣ IT 'S",
    "genitives": "Bush 's␣ dogs '␣ O'Brien 's␣ U.S. 's␣ PG&E 's␣ Jones '",
    "fused without an apostrophe": "gon na␣ wan na␣ got ta␣ can not␣ du nno␣ c'm on␣ 't is␣ d' you",
    "apostrophe forgotten": "do nt␣ ca nt␣ i m␣ i ve␣ that s␣ you re",
    "it's or its": "its␣ tail␣ ; it s␣ a␣ tail␣ ; it s␣ not␣ mine",
    "apostrophes inside words": "o'clock␣ Qa'ida␣ d'etat␣ '60s␣ 1960's␣ 'em␣ rock␣ 'n'␣ roll",
    "hyphens split": "15 - year - old␣ state - of - the - art␣ F - 16␣ over - the - counter",
    "affixes stay": "e-mail␣ non-stop␣ re-elect␣ co-founder␣ anti-American␣ mid-1980s␣ ex-wife",
    "money": "$ 100␣ $ 1,000.50␣ £ 5␣ 5 €␣ US$ 20␣ $ 3 m␣ $ 2.5 bn",
    "per cent and units": "10 %␣ 5 pm␣ 10 km␣ 65 k␣ 35 mm␣ 2.5 kg␣ 3rd␣ 1990s␣ 3G",
    "signs of numbers": "# 1␣ A +␣ 20 +␣ - 5␣ +44␣ 3 - 4",
    "times and dates": "10:30␣ 7:30 PM␣ 9/11␣ 11/28/2000␣ 2004-05-06␣ 1 / 2␣ 3 / 4",
    "telephones": "713-853-3989␣ 345-9945␣ 1-800-991-9019␣ 77042-2016",
    "addresses": "https://en.wikipedia.org/wiki/Trellis_(graph)␣ , www.a.com/b?c=1&d=%20 .␣ Go",
    "addresses in brackets": '( see␣ http://a.b/c ) .␣ < www.d.org >␣ " example.com/x "',
    "e-mail": "bob.smith@x.co.uk ,␣ mayur...@yahoo.com␣ Rice@ENRON␣ @user",
    "file names": "report.doc␣ ETA_revision0307.doc␣ snake_case␣ comp.sources.unix",
    "emoticons": ":-)␣ :)␣ ;-)␣ :D␣ :-(␣ :P␣ :/␣ =)␣ <3␣ xD␣ ^_^␣ :'(␣ hi :))",
    "not emoticons": "following : ( a )␣ Re : Do␣ 8:30␣ x = ( y )",
    "runs": "wow !!!␣ what ?!?!␣ hm ...␣ well ....␣ a -- b␣ *** ␣ -----␣ __ ␣ >> ␣ ''␣ `` a",
    "sentence ends": '" no . "␣ She␣ left . )␣ Hello . How',
    "abbreviations": "Mr.␣ Smith␣ vs.␣ Dr.␣ J.␣ K.␣ Who␣ e.g.␣ Ph.D.␣ a.m.␣ U.S.␣ Inc.␣ No.␣ 5",
    "the last full stop": "cats␣ , dogs␣ , etc .",
    "the last full stop, in quotes": 'at␣ 5␣ p.m . "',
    "not abbreviations": "no .␣ sun .␣ and␣ I .␣ So",
    "slashes": "and / or␣ he / she␣ w/o␣ l/c",
    "ampersands": "AT&T␣ R&D␣ bread & butter",
    "quotes": "“ Hi , ”␣ ' she '␣ ( said ) [ it ] { now }",
    "censored": "sh*t␣ * word *␣ _ word _",
    "markup": "< b > bold < / b >␣ < script > alert ( 1 ) < / script >",
    "emoji": "👩‍💻 👍🏽 😂 😂␣ 🇬🇧 🇫🇷␣ ❤️␣ 1️⃣␣ 🏴󠁧󠁢󠁥󠁮󠁧󠁿 great 🎉 !",
    "other scripts": "שלום␣ עולם !␣ مرحبا ،␣ Привет ,␣ мир !␣ क्षत्रिय␣ naïve␣ e\u0301te\u0301",
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_documented(case):
    words = case.replace("␣", "").split()
    text = case.replace(" ", "").replace("␣", " ")
    assert tokenise(text) == words


def test_unusual_texts():
    for text, words in (
        (" \t\n\u00a0\u3000", []),
        ("\x00\x07\u200b\ufeff\u202e\ud800", []),
        ("a\x00b\u200bc\ud800d\u202ee", ["a", "b", "c", "d", "e"]),
        ("می\u200cخواهم", ["می\u200cخواهم"]),  # the joiner is part of the spelling
        ("co\u00adop", ["co\u00adop"]),
        ("2 !!!\u0301", ["2", "!!!\u0301"]),
    ):
        assert tokenise(text) == words


FRAGMENTS = [
    *("n't", "'s", "’", "'", "its ", "cannot", "im", "e-", "non-", "-", "--", "_", "*", "/", "//"),
    *("&", "+44", "http://", "www.", "a@b", "@", ".com", ".doc", "Dr.", "U.", "no.", " ", "\t"),
    *("\n", "$", "%", "#", "5pm", "1/2", "9/11", "1,000.5", ":)", ":", ";", "<3", "(", ")", "["),
    *("“", "”", "...", "!", "?", "<", ">", "=", "👩‍💻", "🇬", "🇬🇧", "👍🏽", "\ufe0f", "\u200d"),
    *("\u200b", "\u0301", "\u093f", "\U000e0067", "\u0600", "\x00", "\ud800", "שלום", "漢字"),
    *("क्षि", "ก็", "½", "٣", "İ", "ﬁ", "\u3164", "\u00ad", "\u20e3", "각"),
]
TEXTS = st.one_of(
    st.text(st.characters(), max_size=60),
    st.lists(st.sampled_from(FRAGMENTS) | st.text("aAIst1.", max_size=3), max_size=20).map("".join),
)
INVISIBLE = regex.compile(r"\p{Default_Ignorable_Code_Point}")


def must_be_in_a_word(character: str) -> bool:
    hidden = unicodedata.category(character) in ("Cc", "Cs") or INVISIBLE.match(character)
    return not (character.isspace() or hidden)


@given(TEXTS)
@settings(max_examples=200)
@example("a\u3164b")
@example("🇬🇧🇬🇧🇬👍🏽👩‍💻1️⃣!!\u0301")
@example(" \u0301")
@example("\u0600\u115f")
@example("\u115f\u0300")
@example("\ufe00\u0300")
@example("a\u200b\ufe00\u200d\u0300b")
def test_every_visible_character_is_in_exactly_one_word_in_order_and_no_grapheme_is_cut(text):
    end_before = 0
    for start, end in [*token_spans(text), (len(text), len(text) + 1)]:
        assert end_before <= start < end
        assert not any(map(must_be_in_a_word, text[end_before:start]))
        end_before = end
    for word in tokenise(text):
        assert not any(map(str.isspace, word))
        assert any(map(must_be_in_a_word, word))
    text = text.encode("utf-8", "ignore").decode()  # half a surrogate pair is a word of its own
    # A blank separates, also where a combining mark follows, which Unicode then puts on the blank.
    boundaries = {
        piece.start() + offset
        for piece in regex.finditer(r"\S+", text)
        for grapheme in regex.finditer(r"\X", piece[0])
        for offset in grapheme.span()
    }
    # What is not seen separates as well, also after a sign that would join what follows, and
    # before a mark, unless it is a mark itself.
    unseen = r"(?<=\p{GCB=Prepend})\p{DI}", r"(?<=(?=\p{DI})[^\p{GCB=Extend}\u200D])"
    boundaries |= {one.start() for pattern in unseen for one in regex.finditer(pattern, text)}
    assert {offset for span in token_spans(text) for offset in span} <= boundaries


@given(st.lists(TEXTS | st.sampled_from(["its", "its a", "no.", "etc.", "5", "#", '"', ")"])))
@example(["etc. ", ")", " "])
@example(["no.", "  ", "5"])
@example(["its", " ", "been"])
def test_pieces_that_are_remembered_read_as_the_whole_text_does(parts):
    text = " ".join(parts)
    assert token_spans(text) == list(spans_between(text, 0, len(text)))


# Fragments made to mislead a rule.
STRESS = [
    *("a", "a'", "a's", "n't", "can'tn't", "a.", "A.'", "Dr.)", "Dr. ", "No. ", "its ", "1."),
    *("1.1a", "-1", "111-", "+1", "1/1/", "x-1", "a-", "re-", "co-re-", "_", "a_", "a*", "a&"),
    *("w/", "@", "a@", "a@a.", "http://", "www.!", "http://(", "(", "(a", "a.com", "a.com/"),
    *(".doc", ":", ":)", "<3", "!", "-_", "*~", "$", "`", "🇬", "👩‍💻", "👍🏽", "e\u0301", "\u0301"),
    *("\u200d", "\u200b", " ", "漢"),
]


def test_many_characters_of_one_kind_end_and_nothing_is_lost():
    for unit in STRESS:
        text = unit * (6_000 // len(unit))
        covered = sum(end - start for start, end in token_spans(text))
        assert covered >= sum(map(must_be_in_a_word, text)), unit


def words(text: str, tokeniser: str = "unicode") -> list[str]:
    return [text[start:end] for start, end in word_spans(text, tokeniser)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Er saß im Zug.", ["Er", "saß", "im", "Zug", "."]),
        ("le livre dont on parle", ["le", "livre", "dont", "on", "parle"]),
        ("l'eau, aujourd’hui: 3,14 €", ["l'eau", ",", "aujourd’hui", ":", "3,14", "€"]),
        ("Donaudampfschifffahrtsgesellschaft!", ["Donaudampfschifffahrtsgesellschaft", "!"]),
        ("قال: مرحبا", ["قال", ":", "مرحبا"]),
        ("你好 🇩🇪👩‍👩‍👧 é", ["你", "好", "🇩🇪", "👩‍👩‍👧", "é"]),
        (" \n\u200b ", []),
    ],
)
def test_unicode_cuts_at_word_boundaries_and_nowhere_as_english_does(text, expected):
    assert words(text) == expected


def test_each_tokeniser_by_its_name():
    text = "I don't, im Bad"
    assert words(text, "english") == ["I", "do", "n't", ",", "i", "m", "Bad"]
    assert words(text, "spaces") == ["I", "don't,", "im", "Bad"]
    assert words(text, "unicode") == ["I", "don't", ",", "im", "Bad"]
    with pytest.raises(ValueError, match="tokeniser: expected one of unicode, english, spaces"):
        words(text, "german")


@pytest.mark.parametrize("tokeniser", TOKENISERS)
@given(text=st.text(max_size=30))
def test_words_are_in_order_and_hold_all_letters(tokeniser, text):
    spans = word_spans(text, tokeniser)
    flat = [place for span in spans for place in span]
    assert flat == sorted(flat)
    assert all(start < end for start, end in spans)
    held = "".join(text[start:end] for start, end in spans)
    assert [c for c in held if c.isalnum()] == [c for c in text if c.isalnum()]
