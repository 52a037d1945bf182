"""Who may come in, and how they prove who they are."""

from __future__ import annotations

from tests.system import proofs
from tests.system.seed import accounts
from tests.system.views.view import View, press

VIEWS = {
    "operators": View("/operators", "Accounts of every kind, with what each may do.", "accounts"),
    "operator": View(f"/operators/{accounts.LEE}", "An admin's account, and its browsers.", "accounts"),
    "operator-unreached": View(
        f"/operators/{accounts.ROBIN}", "Somebody invited whose mail was cancelled before it left.", "accounts"
    ),
    "invite": View("/operators", "Whom to let in.", "accounts", then=press("Invite", until="Name")),
    "account": View("/account", "The own account.", "accounts"),
    "invitation": View(
        f"/invitations/{accounts.INVITATION}", "An invitation, opened from the mail.", "accounts", visitor=None
    ),
    "password-forgotten": View(
        "/password-resets/new", "Where to have a forgotten password replaced.", "accounts", visitor=None
    ),
    "sign-in": View("/sign-in", "Coming in by a name and a password, or by the provider.", visitor=None),
    "sign-in-code": View(
        "/sign-in", "The second step of somebody with an authenticator.", "calm", None, proofs.give_password
    ),
    "sign-in-required": View(
        "/sign-in", "An admin must set up a second factor first.", "calm", None, proofs.give_admins_password
    ),
    "second-factor": View("/account/second-factor", "The own second factor, and what is left of its codes.", "calm"),
    "second-factor-new": View("/account/second-factor/new", "A code for the phone to scan."),
    "recovery-codes": View(
        "/account/second-factor", "New recovery codes, shown once.", "calm", then=proofs.renew_codes, complains=" 422 "
    ),
}
