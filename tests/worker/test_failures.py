"""The failure path cannot fail, and keeps nothing that must not be kept."""

import os
import time

import pytest

from worker.failures import EMAIL_WITHHELD, MAX_DETAIL, UNPRINTABLE, describe, fingerprint, safe_text


class Unprintable(Exception):
    """Its text cannot be had."""

    def __str__(self) -> str:
        raise RuntimeError


class Slow(Exception):
    """Its text takes an hour."""

    def __str__(self) -> str:
        time.sleep(3600)
        return "at last"


def raised(error: BaseException) -> BaseException:
    try:
        raise error
    except BaseException as caught:  # noqa: BLE001 - any kind may come out of a handler
        return caught


@pytest.mark.parametrize(
    "error",
    [
        ValueError("x" * 5_000_000),
        ValueError("a\0b"),
        ValueError("\ud800"),
        ValueError(os.fsdecode(b"\xff\xfe")),
        Unprintable(),
        KeyboardInterrupt("stop"),
        ExceptionGroup("many", [ValueError(n) for n in range(1000)]),
        type("E" * 1_000_000, (Exception,), {})("huge name"),
        SystemExit(3),
    ],
    ids=["huge", "nul", "surrogate", "undecodable", "unprintable", "interrupt", "group", "huge name", "exit"],
)
def test_a_32_a_33_and_a_37_whatever_is_raised_can_be_stored(error: BaseException) -> None:
    began = time.process_time()
    failure = describe(raised(error), handler_key="h")
    assert len(failure.detail) <= MAX_DETAIL
    assert len(failure.error_type) <= 200
    assert "\0" not in failure.detail
    failure.detail.encode()
    assert time.process_time() - began < 1


def test_an_exception_that_cannot_be_shown_has_a_fixed_text() -> None:
    assert describe(Unprintable(), handler_key="h").summary == UNPRINTABLE


@pytest.mark.parametrize("error", [Slow(), ValueError(Slow())], ids=["itself", "what it is about"])
def test_a_37_an_exception_that_takes_its_time_to_speak_is_not_waited_for(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("worker.failures._SAID_WITHIN_SECONDS", 0.01)
    began = time.monotonic()
    assert describe(raised(error), handler_key="h").summary == UNPRINTABLE
    assert time.monotonic() - began < 20


def test_ten_thousand_chained_exceptions_are_one_failure() -> None:
    error: BaseException = ValueError("root")
    for _ in range(10_000):
        following = ValueError("next")
        following.__cause__ = error
        error = following
    assert describe(error, handler_key="h").detail == "ValueError: next"


@pytest.mark.parametrize(
    "secret",
    [
        "postgres://u:hunter2@db.example/x refused",
        "Authorization: Bearer hunter2",
        "Authorization: Basic hunter2",
        "GET /?token=hunter2&a=1 failed",
        "password='hunter2'",
        '{"api_key": "hunter2"}',
        "redis://:hunter2@cache",
    ],
)
def test_a_40_secrets_in_a_message_are_not_kept(secret: str) -> None:
    failure = describe(raised(RuntimeError(secret)), handler_key="h")
    assert "hunter2" not in failure.detail + failure.summary
    assert "[redacted]" in failure.summary


def test_a_40_the_values_of_local_variables_are_never_kept() -> None:
    def handler() -> None:
        key = "hunter" + "2"
        raise RuntimeError(len(key))

    with pytest.raises(RuntimeError) as caught:
        handler()
    assert "hunter2" not in describe(caught.value, handler_key="h").detail


def test_s1_108_the_words_of_a_mail_provider_are_withheld() -> None:
    failure = describe(raised(RuntimeError("no mailbox ada@example.test")), handler_key="send_email", withhold=True)
    assert (failure.detail, failure.summary) == (EMAIL_WITHHELD, EMAIL_WITHHELD)


def test_the_detail_shows_where_it_happened_and_ends_with_what_it_was() -> None:
    def render() -> None:
        raise LookupError("invoice_v3.html")

    def run() -> None:
        render()

    with pytest.raises(LookupError) as caught:
        run()
    lines = describe(caught.value, handler_key="h").detail.splitlines()
    assert lines[-1] == "LookupError: invoice_v3.html"
    assert any("in render" in line for line in lines)


def test_a_39_control_characters_and_escapes_do_not_reach_a_terminal() -> None:
    text = safe_text("a\x1b[2Jb\r\x07\x9b1m\u202ec", 100)
    assert not any(ord(character) < 32 or 0x7F <= ord(character) <= 0x9F for character in text)
    assert "\u202e" not in text


def test_s1_107_what_is_too_long_says_so() -> None:
    assert safe_text("x" * 5000, 4000)[-5:] == "xx..."
    assert len(safe_text("x" * 5000, 4000)) == 4000


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("order 17 of 2026-11-29 failed", "order 9999 of 2025-01-01 failed"),
        ("no key 'a' in 'b'", "no key 'x y' in ''"),
        ("job 0193a6c2-7f10-7c44-9d4e-51b0c2a86f02 gone", "job 0193a6c2-0000-7c44-9d4e-51b0c2a86f03 gone"),
        ("digest deadbeef0123 wrong", "digest 0123456789ab wrong"),
        ("to ada@example.test", "to bob.b@mail.example.test"),
    ],
)
def test_errors_that_differ_in_values_alone_are_one_group(one: str, other: str) -> None:
    assert fingerprint("h", "E", one) == fingerprint("h", "E", other)


@pytest.mark.parametrize(
    "changed", [("g", "E", "no such template"), ("h", "F", "no such template"), ("h", "E", "gone")]
)
def test_another_handler_kind_or_message_is_another_group(changed: tuple[str, str, str]) -> None:
    assert fingerprint(*changed) != fingerprint("h", "E", "no such template")
