"""The story of the trellis as one file that needs no network: `python -m docs.story [FILE]`.

It holds every beat of the example in every step and after every bet, and docs/story.html is what
it writes. The file answers all that its buttons ask.
"""

import sys
from pathlib import Path

from crf.figures import file
from pages import beats
from pages.shared.course.lecture_plan import LecturePlan, PlannedBeat
from pages.shared.ui.stage import story_file

EXAMPLE = "ex=old-man"
TITLE = "Linear-chain CRFs: the story of the trellis"


def main() -> None:
    """Write the file."""
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("story.html")
    told = tuple(PlannedBeat("trellis", beat.name, EXAMPLE) for beat in beats.LESSONS["trellis"])
    file.write(path, story_file.document(LecturePlan(TITLE, told), beats.LESSONS))
    print(f"{path}, {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
