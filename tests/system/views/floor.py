"""What needs a person, and what moves: the overview, its findings, the queues, the job types and the workers."""

from __future__ import annotations

from tests.system.seed.staff import PRODUCT_2, PRODUCT_3
from tests.system.views.view import View

VIEWS = {
    "overview": View("/", "A busy morning: what needs a person in sentences, the worst first."),
    "overview-calm": View("/", "Nothing is wrong, and so nothing is asked of anybody.", "calm"),
    "help": View("/help", "Every state, button, trouble and word, with what it means."),
    "findings": View("/findings?behind=300&late=0.2", "The limits of each kind of finding, two of them tried out."),
    "findings-calm": View("/findings", "The limits, where nothing was ever wrong.", "calm"),
    "queues": View("/queues", "Every queue: how much waits, for how long, and why."),
    "queues-tenants": View("/queues?by=tenant", "Whose work waits, how fast it comes and goes, and what it waits for."),
    "queue": View("/queues/mail", "A queue that falls behind: its courses, its causes, what changed."),
    "queue-paused-long": View("/queues/campaign", "A queue that somebody paused this morning."),
    "queue-empty": View("/queues/intake", "A queue that keeps up: nothing waits."),
    "queues-empty": View("/queues", "A console on which no queue was used yet.", "calm"),
    "job-type": View("/job-types/invoice.render?span=24h", "A job type over a day, with the releases it went through."),
    "workers": View("/workers", "Who beats, who fell silent, what nobody serves."),
    "workers-one": View("/workers", "One worker, which serves every queue.", "calm"),
    "worker": View(f"/workers/{PRODUCT_3}", "A worker at work, and what it runs."),
    "worker-silent": View(f"/workers/{PRODUCT_2}", "A worker that fell silent with the only handler of its kind."),
}
