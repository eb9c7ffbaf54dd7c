"""A server on a network with a hostile page, phone or program."""

from tests.hostile import network


def test_a_page_of_another_site_is_refused_and_nobody_is_asked_for_it():
    assert network.a_foreign_page().failures == []
