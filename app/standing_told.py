"""How a queue or a job type stands, told to a program."""

from __future__ import annotations

from app import courses
from app.asked import Asked
from app.shapes.audit import Done
from app.shapes.groups import Guidance
from app.shapes.queues import Load, Pause, Standing, StandingWanted, Wait, slots
from app.standing import ACTS, ACTS_SHOWN, Find, Subject
from worker.database import Connection
from worker.guidance import UNSAID
from worker.guidance import Guidance as Declared
from worker.payloads import clean_text
from worker.queries.pages import audit
from worker.queries.pages.courses import SPANS


def told(
    call: Asked, conn: Connection, subject: Subject, find: Find, *, asked: StandingWanted, declared: Declared = UNSAID
) -> Standing:
    """What its page tells, with the figures behind the charts."""
    found = find(conn, call.figures, subject.name)
    part = clean_text(asked.part or "", field="part", limit=200) or None
    queue, handler = (subject.name, part) if subject.is_queue else (part, subject.name)
    pause = call.figures.paused.get(subject.name) if subject.is_queue else None
    acts = audit.of_target(conn, target=subject.name, actions=ACTS, limit=ACTS_SHOWN) if subject.is_queue else []
    return Standing(
        name=subject.name,
        load=Load.of(found.load) if found.load else None,
        parts=[Load.of(each) for each in found.parts],
        waits=[Wait.of(each) for each in found.waits],
        pause=Pause.model_validate(pause) if pause else None,
        guidance=Guidance.model_validate(declared),
        course=slots(courses.read(conn, SPANS[asked.span], queue=queue, handler=handler, now=call.now)),
        acts=[Done.model_validate(act) for act in acts],
    )
