"""Accounts of people: who is let in, by which link, and what they are sent."""
