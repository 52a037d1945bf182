"""The roll call: each process says what it registers, and hears once what it lacks."""

from sqlalchemy import Connection, Engine, select

from tests.worker.runtime.bench import captured, nothing, quick, registry, until
from worker.queries.schema import subscriptions
from worker.runtime.roll_call import RollCall
from worker.runtime.worker import Worker
from worker.subscribers import Subscribers


def registered(*names: str) -> Subscribers:
    known = Subscribers()
    for name in names:
        known.register("order.paid", name, lambda job: None)
    return known


def test_what_others_register_and_this_process_does_not_is_told_once(engine: Engine) -> None:
    log, said = captured()
    here, there = RollCall(engine, registered("mail"), log), RollCall(engine, registered("mail", "ledger"), log)
    here.tick()
    assert said.entries == []
    there.tick()
    assert [here.tick(), here.tick()] == [False, False]
    told = [(entry["event"], entry["log_level"], entry["subscribers"]) for entry in said.entries]
    assert told == [("subscribers.unknown", "warning", ["ledger"])]


def test_a_worker_says_what_it_registers(url: str, conn: Connection) -> None:
    known = registry(work=nothing)
    known.subscribers.register("order.paid", "mail", nothing)
    worker = Worker(quick(), known, url=url)
    worker.start()
    until(lambda: conn.execute(select(subscriptions.c.subscriber_id, subscriptions.c.event_type)).all())
    worker.stop()
    assert conn.execute(select(subscriptions.c.subscriber_id)).scalar_one() == "mail"
