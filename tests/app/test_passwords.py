"""Passwords: how they are kept, and which are not taken."""

from __future__ import annotations

import pytest

from app.passwords import MAX_BYTES, Passwords, weakness

CHEAP = Passwords(memory_kib=64, iterations=1, lanes=1)


def test_a_hash_names_its_algorithm_and_costs_and_is_never_the_same_twice() -> None:
    assert Passwords().hash("x").startswith("$argon2id$v=19$m=65536,t=3,p=4$")
    assert CHEAP.hash("x") != CHEAP.hash("x")


def test_a_password_matches_its_own_hash_only() -> None:
    stored = CHEAP.hash("grüße aus der küche")
    assert CHEAP.matches("grüße aus der küche", stored)
    assert not CHEAP.matches("grüße aus der küchen", stored)
    assert not CHEAP.matches("", stored)


def test_hashes_of_other_costs_still_match() -> None:
    assert CHEAP.matches("x", Passwords(memory_kib=128, iterations=2, lanes=1).hash("x"))


def test_what_cannot_be_right_is_hashed_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    class Counted:
        calls = 0

        @staticmethod
        def verify_phc_encoded(given: bytes, stored: str) -> None:
            Counted.calls += 1

    passwords = Passwords(memory_kib=64, iterations=1, lanes=1)
    decoy = passwords.hash("x")
    monkeypatch.setattr(passwords, "_decoy", decoy, raising=False)
    monkeypatch.setattr("app.passwords.Argon2id", Counted)
    assert not passwords.matches("x", None)
    assert not passwords.matches("x" * (MAX_BYTES + 1), decoy)
    assert Counted.calls == 2


@pytest.mark.parametrize(
    ("password", "says"),
    [
        ("short", "at least 12"),
        ("", "at least 12"),
        ("x" * (MAX_BYTES + 1), "at most 200"),
        ("é" * (MAX_BYTES // 2 + 1), "at most 200"),
        ("aaaaaaaaaaaa", "different characters"),
        ("abababababab", "different characters"),
        ("password123456", "among the first"),
        ("Watchfloor2026", "among the first"),
        ("dana.operator!", "among the first"),
    ],
)
def test_a_password_that_is_easy_to_guess_is_not_taken(password: str, says: str) -> None:
    assert says in (weakness(password, "dana.operator") or "")


@pytest.mark.parametrize(
    "password", ["a few words in a row", "correct horse battery", "x9$Lq2!vTm0w", "密码密码是一个很长的句子吧"]
)
def test_others_are(password: str) -> None:
    assert weakness(password, "dana") is None
