"""The address of mail: what it may say, and that a refusal repeats nothing of it."""

from __future__ import annotations

import pytest

from worker.mail_places import Azure, Memory, Ses, Smtp, is_address, mail_place_of

FROM = "from=floor@example.org"


@pytest.mark.parametrize(
    ("address", "place"),
    [
        ("memory://", Memory()),
        (f"smtp://mail?{FROM}", Smtp("mail", 587, "floor@example.org", "starttls")),
        (f"smtp://mail:25?{FROM}&starttls=off", Smtp("mail", 25, "floor@example.org", "never")),
        (f"smtps://u%40x:p%2Fw@mail?{FROM}", Smtp("mail", 465, "floor@example.org", "always", "u@x", "p/w")),
        ("smtp://mail?from=Floor%20<floor@example.org>", Smtp("mail", 587, "Floor <floor@example.org>", "starttls")),
        (f"ses://eu-central-1?{FROM}", Ses("eu-central-1", "floor@example.org")),
        (f"azure://:k%3D@floor.example.net?{FROM}", Azure("floor.example.net", "floor@example.org", "k=")),
        (f"azure://floor.example.net?{FROM}", Azure("floor.example.net", "floor@example.org")),
    ],
)  # fmt: skip
def test_an_address_names_one_way_to_send(address: str, place: object) -> None:
    assert mail_place_of(address) == place


@pytest.mark.parametrize(
    "address",
    [
        "",
        "hunter2",
        "pop3://hunter2",
        f"smtp://?{FROM}",
        "smtp://u:hunter2@mail",
        "smtp://u:hunter2@mail?from=",
        "smtp://u:hunter2@mail?from=a@b.example%0d%0aBcc:x@y.example",
        f"smtp://u:hunter2@mail:port?{FROM}",
        f"smtp://u:hunter2@mail?{FROM}&starttls=off",
        f"smtp://u:hunter2@mail?{FROM}&starttls=maybe",
        f"smtps://u:hunter2@mail?{FROM}&starttls=off",
        f"smtp://u:hunter2@mail/path?{FROM}",
        f"smtp://u:hunter2@mail?{FROM}#x",
        f"smtp://u:hunter2@[::1?{FROM}",
        f"ses://key:hunter2@eu-central-1?{FROM}",
        f"ses://EU?{FROM}&x=hunter2",
        f"azure://name:hunter2@host?{FROM}",
        "memory://hunter2",
        "memory:///",
    ],
)
def test_anything_else_is_refused_without_a_word_of_it(address: str) -> None:
    with pytest.raises(ValueError, match=r"\w") as refusal:
        mail_place_of(address)
    assert "hunter2" not in str(refusal.value)
    assert refusal.value.__suppress_context__ or refusal.value.__context__ is None


def test_no_place_shows_its_secret_when_it_is_printed() -> None:
    for address in (f"smtp://u:hunter2@mail?{FROM}", f"azure://:hunter2@host?{FROM}"):
        assert "hunter2" not in repr(mail_place_of(address))


@pytest.mark.parametrize("text", ["ada@shop.example", "a.b+c@x", "o'neil@a-b.example"])
def test_the_address_of_a_mailbox_is_one(text: str) -> None:
    assert is_address(text)


@pytest.mark.parametrize(
    "text",
    ["", "ada", "@x", "a@", "a b@x", "a@x,b@y", "Ada <a@x>", "a@x\n", "a@x\r\nBcc: b@y", "a@x.", "a\u2028@x", "a@b@c",
     f"{'a' * 65}@x", f"a@{'b' * 254}"],
)  # fmt: skip
def test_a_list_a_name_or_a_second_line_is_none(text: str) -> None:
    assert not is_address(text)
