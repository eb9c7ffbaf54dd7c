"""Tags set by hand: each change can be taken back."""

from pages.tag.by_hand import ByHand


def test_each_change_is_one_step_and_can_be_taken_back():
    hand = ByHand((("A",), ("a", "b")), (-1, -1))
    hand.undo()  # there is nothing yet
    assert hand.fixed == (-1, -1)
    hand.choose(1, 3)
    hand.choose(1, 3)  # the same again is no change
    hand.choose(0, 2)
    hand.clear()
    assert hand.fixed == (-1, -1)
    for before in ((2, 3), (-1, 3), (-1, -1)):
        hand.undo()
        assert hand.fixed == before


def test_the_same_tag_again_is_let_go_and_the_longest_held_comes_first():
    hand = ByHand((("A",), ("a", "b", "c")), (-1, 4, -1))  # from an address
    for tag in (3, 2, 2):
        hand.hold(2, tag)
    assert hand.fixed == (-1, 4, -1)
    hand.undo()
    assert hand.fixed == (-1, 4, 2)
    hand.choose(0, 1)
    assert hand.in_order() == [1, 2, 0]
    hand.choose(2, 3)
    assert hand.in_order() == [1, 0, 2]
