"""Signing in at an OpenID Connect provider: it vouches for who somebody is, and its groups say what they may do.

The authorization code flow with PKCE, state and nonce; all that is remembered in between lies in the browser's cookie.
"""
