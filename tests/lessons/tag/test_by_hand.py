"""Tags set by hand: each change can be taken back."""

from pages.tag.by_hand import ByHand


class TestByHand:
    def make(self):
        return ByHand(("bilstm", ("a", "b")), (-1, -1))

    def test_choose_undo_clear(self):
        hand = self.make()
        hand.choose(1, 3)
        hand.choose(0, 2)
        assert hand.fixed == (2, 3)
        hand.undo()
        assert hand.fixed == (-1, 3)
        hand.clear()
        assert hand.fixed == (-1, -1)
        hand.undo()
        assert hand.fixed == (-1, 3)

    def test_holding_the_same_tag_again_lets_it_go(self):
        hand = self.make()
        hand.hold(1, 3)
        assert hand.fixed == (-1, 3)
        hand.hold(1, 2)
        hand.hold(1, 2)
        assert hand.fixed == (-1, -1)
        hand.undo()
        assert hand.fixed == (-1, 2)

    def test_undo_with_nothing_to_undo(self):
        hand = self.make()
        hand.undo()
        assert hand.fixed == (-1, -1)

    def test_the_same_choice_twice_is_one_step(self):
        hand = self.make()
        hand.choose(0, 1)
        hand.choose(0, 1)
        hand.undo()
        assert hand.fixed == (-1, -1)

    def test_the_longest_held_comes_first(self):
        hand = ByHand(("bilstm", ("a", "b", "c")), (-1, 4, -1))  # from an address
        hand.choose(2, 1)
        hand.choose(0, 1)
        assert hand.in_order() == [1, 2, 0]
        hand.choose(2, 3)
        assert hand.in_order() == [1, 0, 2]
