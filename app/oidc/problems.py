"""Why somebody could not sign in at the provider, in words that they can act on."""

from __future__ import annotations


class OidcProblem(Exception):
    """The sentence is for the person; `reason` is for the trail, and names nobody."""

    status = 422

    def __init__(self, sentence: str, *, reason: str | None = None) -> None:
        super().__init__(sentence)
        self.reason = reason or sentence


class Unreachable(OidcProblem):
    """The provider does not answer, or not as a provider would; later it may."""

    status = 503

    def __init__(self, reason: str) -> None:
        super().__init__("The provider cannot be reached now. Try again, or sign in with a password.", reason=reason)


class NotTrusted(OidcProblem):
    """The provider's answer is not what it has to be; nothing in it is believed."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"The provider's answer cannot be trusted: {reason}. Begin again.", reason=reason)


class NotAdmitted(OidcProblem):
    """The provider knows them, and they are not to come in here."""

    status = 403
