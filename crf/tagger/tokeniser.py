r"""A text → words, by the tokeniser that a tagger was trained with; each word with its place.

    unicode   at Unicode's word boundaries, whatever the language: the default of `crf train`
    english   as the English treebanks split, see below
    spaces    at blanks only: the text is split already

The Universal Dependencies English Web Treebank follows the Penn Treebank, amended for hyphens and
for the web: clitics are words (``do|n't``, ``Bush|'s``); hyphens are words, except after an affix
(``15|-|year``, but ``non-stop``); units and signs leave their numbers (``$|100``, ``10|%``,
``5|pm``); addresses, abbreviations, emoticons and runs of punctuation stay whole, but for the full
stop that ends the text (``etc|.``).

One pattern finds the tokens from left to right, its alternatives in order of precedence; a second
step cuts the clitics off. What stands between two blanks is read by itself, but for the few rules
that look further, and is remembered. Repetitions are possessive, bounded, or stop at a character
that no later attempt crosses again, so the time is linear in the length of the text. The rules are
of the language and of the guidelines: none names a sentence.

Source: the Penn Treebank's tokenisation; for hyphens, the addenda to the part-of-speech guidelines
of LDC2007T02; what guidelines leave open was counted in the training split. Unicode's boundaries:
Unicode Standard Annex #29, "Unicode Text Segmentation", section 4; by the package `regex`.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Any

import regex


def _cases(words: str, *cases: str) -> list[str]:
    """The words as they are written, and in the letter cases asked for: "title", "upper"."""
    as_written = words.split()
    return as_written + [getattr(word, case)() for word in as_written for case in cases]


_WORD_LISTS: dict[str, Any] = {
    "abbreviations": _cases(
        """
        adj adv al apt approx asst attn aug ave bldg blvd bros cf cmdr conf dec dept dr ed eds eg eq
        esp esq est etc ext feb ft govt hon hr hrs hwy ie inc incl intl jan jr lb lbs lt ltd messrs
        mfg mgr mins misc mr mrs ms mt mtg nov oct oz ph phd pkwy prof ps rd ref rte sept sgt sr st
        ste supt tel thu thur thurs tue tues univ viz vol vols vs yr yrs
        """,
        "title",
        "upper",
    ),
    # Words of their own in lower case: a rep, the sun.
    "capitalised_abbreviations": _cases(
        """
        Adm Assn Assoc Capt Co Col Corp Ct Fri Gen Gov Maj Mar Mon Pres Pvt Rep Reps Rev Sat Sec Sen
        Sens Sep Sun Wed
        """
    ),
    "before_numbers": _cases("no nos fig figs p pp pg sec ch art", "title", "upper"),
    "affixes": _cases(
        """
        ante anti arch bi bio co counter cross cyber de eco ex extra hyper infra inter intra macro
        mega meta micro mid mini mis multi neo non over para post pre pro proto pseudo psycho quasi
        re semi socio sub super tri ultra un uni
        """,
        "title",
        "upper",
    ),
    "units": _cases(
        """
        am pm a.m p.m k m b mm mil bn t cm km kg kgs gm mg ml lb lbs ft oz mph kph mpg hz khz mhz
        ghz gb mb tb kb mw kw kwh px h hr hrs min mins sec secs yr yrs
        """,
        "title",
        "upper",
    ),
    "domains": _cases(
        "com org net edu gov mil int info biz eu uk us ca au nz de fr ie nl jp cn ru br io tv ai",
        "upper",
    ),
    "extensions": _cases(
        """
        doc docx xls xlsx ppt pptx pdf txt csv tsv htm html xml json zip gz exe jpg jpeg gif png svg
        mp3 mp4 wav avi py js css url
        """,
        "upper",
    ),
}

_TOKEN = regex.compile(
    r"""
    (?(DEFINE)
      (?<gap> [\s\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}] )    # nothing to see
      (?<faint> (?= \p{Default_Ignorable_Code_Point} ) [\p{GCB=Extend}\u200D] )
      (?<word> [\p{L}\p{N}]
               (?: [\p{L}\p{N}\p{M}\u00AD\u200C\u200D\u2060]
                 | _++(?=[\p{L}\p{N}]) | (?: ['’`]|\*++ )(?=\p{L}) )*+ )
      (?<end> (?![\p{L}\p{N}\p{M}]) )
      (?<not_last> (?! ["'”’)\]}\s]*+ \Z ) )    # more follows than closing marks
      (?<brackets> \( [^\s<>"“”()]* \) )        # .../Trellis_(graph), but (see https://...)
      (?<path> (?: [^\s<>"“”()] | (?&brackets) )*
               (?: [^\s<>"“”().,;:!?'’\]}*] | (?&brackets) ) )
    )
    (?: (?! (?&gap) )
      | (?<! [\p{GCB=Extend}\u200D] ) (?= (?&faint)++ (?! (?&gap) ) \p{GCB=Extend} ) )
    (?:
    # Emoji: flags, families, skin tones
      \p{RI}{1,2} | (?= \p{Extended_Pictographic} ) \X
    # Addresses, file names, newsgroups
    | (?i: (?: https?|ftps?|file ):// | mailto: | www\. ) (?&path)
    | [\w.+%\-]{1,64}+ @ [\w\-]{1,63}+ (?: \.[\w\-]{1,63}+ ){0,8}+
    | @\p{L}\w*+
    | (?: [A-Za-z0-9][\w\-]{0,62}+\. ){1,8} (?: \L<domains>|\L<extensions> ) (?&end)
      (?: /(?&path)?+ )?+
    | (?<![\p{L}\p{N}]) \.\L<extensions> (?&end)
    | [a-z]{2,20}+ (?: \.[a-z][a-z\-]{0,20}+ ){2,8}+ (?&end)
    # Emoticons
    | (?: [:;]|(?<!\S)= ) ['’]?[\-^o]? (?: [()\[\]]++|[|\\/*](?!/) ) (?&end)
    | (?<![\p{L}\p{N}]) [:;=][\-^]?[DPpOosS] (?&end)
    | (?<!\S) (?: </?3++ | \([:;=] | \^[_.\-]?\^ | -_+- | [xX]D ) (?!\S)
    # Telephone numbers, postcodes, dates, years, quantities
    | (?: (?: \+?\d{1,3}- )? \d{3}[\-/.] )? \d{3}-\d{4} (?&end)
    | (?: \d{5}-\d{4} | [xX]-?\d(?:-?\d){3,6} | \+\d{1,3} ) (?&end)
    | \d{1,4} (?: -\d{1,2}- | /\d{1,2}/ ) \d{2,4} (?&end)
    | (?! [1-9]/(?:[23458]|10)(?&end) )         # 9/11, but 1|/|2
      (?: 1[0-2]|0?[1-9] )/(?: [12]\d|3[01]|0?[1-9] ) (?&end) (?!/)
    | (?<![\p{L}\p{N}]) ['’]\d\ds? (?&end)
    | \d++ (?i: st|nd|rd|th|['’`]?s ) (?&end)
    | (?: \d++ | (?<!\w)\.(?=\d) ) (?: [.,:]?\d++ )++
    | \d++ (?= (?: \L<units> )? (?&end) )
    | (?: US?|AU?|CA?|NZ|HK )\$
    # Abbreviations
    | (?: \L<abbreviations>|\L<capitalised_abbreviations> )\. (?&end) (?&not_last)
    | \L<before_numbers>\. (?= \s*+[\d\#] )
    | (?: \p{L}\.|Ph\. ){1,12} \p{L} (?&end) (?: \.(?&not_last) )?
    | (?! I\. ) \p{Lu}\. (?&end) (?&not_last)
    | (?: [Ww]/(?: out|o )?+ | \p{L}/\p{L}(?!/) | \p{L}{1,3}+&\p{L}{1,3}+ ) (?&end)
    # Words
    | (?: \L<affixes>-(?! (?: to|the|and|all )(?&end) ) | [Ee]-(?=\p{Ll}) ) (?&word)
    | ['’]n['’] (?&end) | ['’`] (?i: s|m|d|ll|re|ve|em|n|til|cause|tis|twas ) (?&end)
    | (?&word)
    # Punctuation, and whatever else there is
    | [.!?…]{2,}+ | (?<mark> [\-=*_~+\#<>$'`,] ) \g<mark>++ | [\-=*_~+]{3,}+
    | [‘’]{2} | [\-=]> | <[\-=]
    | \p{GCB=Prepend}++ (?= (?&gap) | \Z ) | \X
    )
    [\p{GCB=Extend}\p{GCB=SpacingMark}\u200D]*+    # no grapheme is cut
    """,
    regex.VERBOSE,
    **_WORD_LISTS,
)

# Fused words that no apostrophe marks, and where they are cut. Those that are often another word
# (well, ill, id, lets, ...) stay whole for want of a sure sign.
_CUTS = {
    fused.replace("|", ""): fused.index("|")
    for fused in """
    can|not gon|na got|ta wan|na out|ta gim|me lem|me du|nno c'm|on c’m|on d'|you d’|you 't|is ’t|is
    't|was ’t|was do|nt does|nt did|nt ca|nt wo|nt is|nt was|nt are|nt were|nt has|nt have|nt had|nt
    could|nt would|nt should|nt ai|nt i|m i|ve you|ve we|ve they|ve you|re they|re you|ll they|ll
    it|ll that|s he|s she|s there|s what|s where|s how|s who|s here|s else|s
    """.split()
}
_CLITIC = regex.compile(r"(?:n['’`]t|['’`](?:s|m|d|ll|re|ve))\Z", regex.IGNORECASE)
_IT_IS = regex.compile(  # "its" before what cannot follow a possessive
    r"""its \s++ (?: an?|the|not|no|nothing|been|just|very|really|also|all|still|only|always|never
    |now|like|in|on|for|from|between|about|worth|ok|okay|pretty|too|going|getting|called|because
    |actually|probably|definitely|simply|hard|easy|important|possible|impossible|necessary ) \b""",
    regex.IGNORECASE | regex.VERBOSE,
)


_BLANKS = "".join(regex.findall(r"\s", "".join(map(chr, range(0x3001)))))
_PIECE = re.compile(rf"[^{_BLANKS}]+")
_LONG = 40  # characters; longer pieces are not remembered
_NUMBER = regex.compile(r"\s*+[\d\#]")
_CLOSING = "\"'”’)]}" + _BLANKS


def token_spans(text: str) -> list[tuple[int, int]]:
    """Return the words of any text as (start, end) in characters, in order, none empty.

    Every visible character is in exactly one; white space, control characters and those that
    Unicode calls ignorable (zero-width space, ...) are in none, or inside one whose writing needs
    them.

    >>> token_spans("Don't!")
    [(0, 2), (2, 5), (5, 6)]
    """
    # No token crosses a blank, and only three rules look beyond one: what a full stop is depends on
    # whether anything but closing marks follows, "no." on a number, "its" on the next word.
    last = len(text.rstrip(_CLOSING))
    tail = next((i for i in range(last, 0, -1) if text[i - 1] in _BLANKS), 0)
    spans: list[tuple[int, int]] = []
    for match in _PIECE.finditer(text, 0, tail):
        start, stop = match.span()
        piece = match[0]
        if stop - start > _LONG or piece[-3:].lower() == "its":
            spans += spans_between(text, start, stop)
        else:
            after = " 1" if piece[-1] == "." and _NUMBER.match(text, stop) else " x"
            spans += [(start + a, start + b) for a, b in _remembered(piece, after)]
    if len(text) - tail > _LONG:
        return spans + list(spans_between(text, tail, len(text)))
    return spans + [(tail + a, tail + b) for a, b in _remembered(text[tail:], "")]


def tokenise(text: str) -> list[str]:
    """Return the words of any text, as the treebank would split it; see `token_spans`.

    >>> tokenise("He can't pay $100 for 15-year-old e-mail :-)")
    ['He', 'ca', "n't", 'pay', '$', '100', 'for', '15', '-', 'year', '-', 'old', 'e-mail', ':-)']
    """
    return [text[start:end] for start, end in token_spans(text)]


def spans_between(text: str, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """The tokens that begin from `start` to before `stop`."""
    for match in _TOKEN.finditer(text, start):
        if match.start() >= stop:
            break
        yield from _split_clitics(text, *match.span())


@lru_cache(maxsize=65_536)
def _remembered(piece: str, after: str) -> list[tuple[int, int]]:
    """The tokens of a piece of a text, when what comes after it is like `after`."""
    if piece.isascii() and piece.isalpha():  # the pattern would find one word
        return _split_clitics(piece, 0, len(piece))
    return list(spans_between(piece + after, 0, len(piece)))


def _split_clitics(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Cut a token where its clitics begin: "couldn't've" has two, most tokens none."""
    cut = _CUTS.get(text[start:end].lower(), 0)
    if end - start == len("its") and _IT_IS.match(text, start):
        cut = len("it")
    if cut:
        return [(start, start + cut), (start + cut, end)]
    spans: list[tuple[int, int]] = []
    while clitic := _CLITIC.search(text, max(start + 1, end - 3), end):
        if text[clitic.start() - 1].isdigit():  # a plural: the 1960's, AK47's
            break
        spans.append((clitic.start(), end))
        end = clitic.start()
    return [(start, end), *reversed(spans)]


_BOUNDARY = regex.compile(r"\b", regex.WORD)
_FLAG = regex.compile(r"\p{RI}{1,2}+[\p{M}\u200D]*+")  # \b takes quadratic time on many of them
_NOTHING = regex.compile(r"[\s\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}]*+")
_SPACED = regex.compile(r"[^ \t\r\n\f\v]++")


def word_spans(text: str, tokeniser: str = "unicode") -> list[tuple[int, int]]:
    """Return the words of any text as (start, end) in characters, in order, none empty.

    Blanks and what cannot be seen are in none.

    Raises:
        ValueError: There is no such tokeniser.

    Example:
        >>> [[text[a:b] for a, b in word_spans(text)] for text in ("Im Bad, 3,14 m²", "dont l'eau")]
        [['Im', 'Bad', ',', '3,14', 'm', '²'], ['dont', "l'eau"]]
    """
    if tokeniser not in _FINDERS:
        raise ValueError(f"tokeniser: expected one of {', '.join(_FINDERS)}, got {tokeniser!r}")
    return _FINDERS[tokeniser](text)


def _by_unicode(text: str) -> list[tuple[int, int]]:
    cuts = sorted({0, len(text), *_cuts(text)})
    return [
        (start, end) for start, end in pairwise(cuts) if not _NOTHING.fullmatch(text, start, end)
    ]


def _cuts(text: str) -> Iterator[int]:
    start = 0
    for flag in [*_FLAG.finditer(text), None]:
        stop = flag.start() if flag else len(text)
        yield from (start + cut.start() for cut in _BOUNDARY.finditer(text[start:stop]))
        if flag:
            yield from flag.span()
            start = flag.end()


_FINDERS = {
    "unicode": _by_unicode,
    "english": token_spans,
    "spaces": lambda text: [word.span() for word in _SPACED.finditer(text)],
}
