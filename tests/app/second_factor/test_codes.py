"""Codes: of the moment, for the day the phone is gone, and the one that is scanned."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit
from uuid import UUID

import pytest
import segno

from app.second_factor import qr, recovery, totp
from tests.factories import NOON

SECRET = b"12345678901234567890"
"""Of RFC 6238, whose codes have eight digits; ours are their last six."""


@pytest.mark.parametrize(
    ("second", "code"), [(59, "287082"), (1111111109, "081804"), (1234567890, "005924"), (20000000000, "353130")]
)
def test_the_codes_are_those_of_the_standard(second: int, code: str) -> None:
    now = NOON.fromtimestamp(second, NOON.tzinfo)
    assert totp.step_of(SECRET, code, now) == second // 30
    assert totp.step_of(SECRET, f"{code[:3]} {code[3:]}", now) == second // 30
    assert totp.step_of(SECRET[::-1], code, now) is None


def test_an_authenticator_is_told_whose_codes_they_are() -> None:
    told = urlsplit(totp.address(SECRET, "dana d.", "production"))
    assert (told.scheme, told.netloc, told.path) == ("otpauth", "totp", "/Watchfloor%20production:dana%20d.")
    said = {name: value for name, [value] in parse_qs(told.query).items()}
    assert said["secret"] == "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
    assert (said["digits"], said["period"], said["algorithm"]) == ("6", "30", "SHA1")


def test_recovery_codes_are_long_and_never_the_same() -> None:
    codes = recovery.new_codes() + recovery.new_codes()
    assert len(set(codes)) == 2 * recovery.COUNT
    assert all(re.fullmatch(r"([a-z2-9]{4}-){3}[a-z2-9]{4}", code) for code in codes)


def test_a_recovery_code_is_one_operators_however_it_is_typed() -> None:
    mine, yours = UUID(int=1), UUID(int=2)
    assert recovery.digest(mine, "abcd-efgh-jkmn-pqrs") == recovery.digest(mine, " ABCD EFGH jkmnpqrs ")
    assert recovery.digest(mine, "abcd-efgh-jkmn-pqrs") != recovery.digest(yours, "abcd-efgh-jkmn-pqrs")


def test_the_picture_has_every_dark_cell_of_the_code_and_quiet_around_it() -> None:
    picture = qr.drawn("otpauth://totp/Watchfloor:dana?secret=AAAA")
    runs = [tuple(map(int, run)) for run in re.findall(r"M(\d+) (\d+)h(\d+)v1h-\d+z", picture.path)]
    drawn = {(x + step - qr.BORDER, y - qr.BORDER) for x, y, length in runs for step in range(length)}
    matrix = segno.make_qr("otpauth://totp/Watchfloor:dana?secret=AAAA", error="l").matrix
    assert drawn == {(x, y) for y, row in enumerate(matrix) for x, dark in enumerate(row) if dark}
    assert picture.side == len(matrix) + 2 * qr.BORDER
