"""Acts on many jobs, each a stored set: chosen once, moved at once or bit by bit, stopped, undone, and told of.

  trial ─── the first passed ──▶ moving ──▶ done
    │                              │ ▲
    └── it failed ──▶ stopped ◀────┘ └── gone on with
Any of them may be aborted, which leaves the rest as it is, or undone, which puts back what nobody moved since.
"""
