"""The second factor: six digits from an authenticator, or a code that was kept for the day it is lost.

What an authenticator shares with us is sealed, and bound to its operator; without keys nobody can set one up.
"""
