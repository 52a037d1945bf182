-- A database file as the revision of this name left it.

CREATE TABLE event_outbox (
	id TEXT NOT NULL,
	event_id TEXT NOT NULL,
	event_type TEXT NOT NULL,
	source TEXT NOT NULL,
	occurred_at BIGINT NOT NULL,
	tenant_id TEXT,
	payload TEXT NOT NULL,
	schema_version INTEGER DEFAULT '1' NOT NULL,
	metadata TEXT,
	created_at BIGINT DEFAULT (CAST(strftime('%s', 'now') AS INTEGER) * 1000000 + CAST(substr(strftime('%f', 'now'), 4) AS INTEGER) * 1000) NOT NULL,
	relayed_at BIGINT,
	fanout INTEGER,
	relay_attempts INTEGER DEFAULT '0' NOT NULL,
	relay_error TEXT,
	retry_at BIGINT,
	CONSTRAINT pk_event_outbox PRIMARY KEY (id),
	CONSTRAINT ck_event_outbox_event_id CHECK (length(event_id) BETWEEN 1 AND 36),
	CONSTRAINT ck_event_outbox_event_type CHECK (length(event_type) BETWEEN 1 AND 100),
	CONSTRAINT ck_event_outbox_source CHECK (length(source) BETWEEN 1 AND 50),
	CONSTRAINT ck_event_outbox_payload CHECK (json_valid(payload) AND length(payload) <= 8388608),
	CONSTRAINT ck_event_outbox_schema_version CHECK (schema_version >= 1),
	CONSTRAINT ck_event_outbox_fanout CHECK ((relayed_at IS NULL) = (fanout IS NULL) AND fanout > 0),
	CONSTRAINT ck_event_outbox_relay_error CHECK (length(relay_error) BETWEEN 0 AND 4000),
	CONSTRAINT uq_event_outbox_event_id UNIQUE (event_id)
);

CREATE INDEX ix_event_outbox_relayed ON event_outbox (relayed_at) WHERE relayed_at IS NOT NULL;

CREATE INDEX ix_event_outbox_pending ON event_outbox (created_at, id) WHERE relayed_at IS NULL AND retry_at IS NULL;

CREATE INDEX ix_event_outbox_parked ON event_outbox (retry_at) WHERE relayed_at IS NULL AND retry_at IS NOT NULL;

CREATE TABLE subscriptions (
	subscriber_id TEXT NOT NULL,
	event_type TEXT NOT NULL,
	seen_at BIGINT NOT NULL,
	CONSTRAINT pk_subscriptions PRIMARY KEY (subscriber_id),
	CONSTRAINT ck_subscriptions_subscriber_id CHECK (length(subscriber_id) BETWEEN 1 AND 200),
	CONSTRAINT ck_subscriptions_event_type CHECK (length(event_type) BETWEEN 1 AND 100)
);

CREATE TABLE net_runs (
	subscriber_id TEXT NOT NULL,
	runner TEXT NOT NULL,
	started_at BIGINT NOT NULL,
	leased_until BIGINT,
	finished_at BIGINT,
	error TEXT,
	CONSTRAINT pk_net_runs PRIMARY KEY (subscriber_id),
	CONSTRAINT ck_net_runs_subscriber_id CHECK (length(subscriber_id) BETWEEN 1 AND 200),
	CONSTRAINT ck_net_runs_error CHECK (length(error) BETWEEN 0 AND 4000)
);

CREATE TABLE platform_jobs (
	id TEXT NOT NULL,
	tenant_id TEXT,
	job_type TEXT NOT NULL,
	status TEXT DEFAULT 'queued' NOT NULL,
	progress FLOAT DEFAULT '0' NOT NULL,
	steps_completed TEXT DEFAULT '[]' NOT NULL,
	error_detail TEXT,
	created_at BIGINT DEFAULT (CAST(strftime('%s', 'now') AS INTEGER) * 1000000 + CAST(substr(strftime('%f', 'now'), 4) AS INTEGER) * 1000) NOT NULL,
	updated_at BIGINT DEFAULT (CAST(strftime('%s', 'now') AS INTEGER) * 1000000 + CAST(substr(strftime('%f', 'now'), 4) AS INTEGER) * 1000) NOT NULL,
	payload TEXT DEFAULT '{}' NOT NULL,
	idempotency_key TEXT,
	attempts INTEGER DEFAULT '0' NOT NULL,
	max_attempts INTEGER DEFAULT '5' NOT NULL,
	available_at BIGINT DEFAULT (CAST(strftime('%s', 'now') AS INTEGER) * 1000000 + CAST(substr(strftime('%f', 'now'), 4) AS INTEGER) * 1000) NOT NULL,
	locked_at BIGINT,
	locked_by TEXT,
	event_id TEXT,
	event_type TEXT,
	subscriber_id TEXT,
	source TEXT DEFAULT 'api' NOT NULL,
	handler_key TEXT NOT NULL GENERATED ALWAYS AS (coalesce(subscriber_id, job_type)) STORED,
	queue TEXT DEFAULT 'default' NOT NULL,
	idempotency_fingerprint TEXT,
	schema_version INTEGER DEFAULT '1' NOT NULL,
	metadata TEXT,
	generation INTEGER DEFAULT '0' NOT NULL,
	replays INTEGER DEFAULT '0' NOT NULL,
	scheduled BOOLEAN DEFAULT false NOT NULL,
	lease_expires_at BIGINT,
	cancel_requested_at BIGINT,
	error_type TEXT,
	error_summary TEXT,
	error_fingerprint TEXT,
	finished_at BIGINT,
	CONSTRAINT pk_platform_jobs PRIMARY KEY (id),
	CONSTRAINT ck_platform_jobs_job_type CHECK (length(job_type) BETWEEN 1 AND 100),
	CONSTRAINT ck_platform_jobs_status CHECK (status IN ('queued', 'running', 'succeeded', 'failed', 'cancelled')),
	CONSTRAINT ck_platform_jobs_progress CHECK (progress BETWEEN 0 AND 100),
	CONSTRAINT ck_platform_jobs_steps_completed CHECK (json_valid(steps_completed) AND json_type(steps_completed) = 'array'),
	CONSTRAINT ck_platform_jobs_error_detail CHECK (length(error_detail) BETWEEN 0 AND 4000),
	CONSTRAINT ck_platform_jobs_payload CHECK (json_valid(payload) AND length(payload) <= 8388608),
	CONSTRAINT ck_platform_jobs_idempotency_key CHECK (length(idempotency_key) BETWEEN 1 AND 255),
	CONSTRAINT ck_platform_jobs_attempts CHECK (attempts >= 0),
	CONSTRAINT ck_platform_jobs_max_attempts CHECK (max_attempts BETWEEN 1 AND 1000),
	CONSTRAINT ck_platform_jobs_locked_by CHECK (length(locked_by) BETWEEN 0 AND 100),
	CONSTRAINT ck_platform_jobs_event_id CHECK (length(event_id) BETWEEN 1 AND 36),
	CONSTRAINT ck_platform_jobs_event_type CHECK (length(event_type) BETWEEN 1 AND 100),
	CONSTRAINT ck_platform_jobs_subscriber_id CHECK (length(subscriber_id) BETWEEN 1 AND 200),
	CONSTRAINT ck_platform_jobs_source CHECK (length(source) BETWEEN 0 AND 50),
	CONSTRAINT ck_platform_jobs_queue CHECK (queue GLOB '[a-z0-9]*' AND queue NOT GLOB '*[^a-z0-9._-]*' AND length(queue) <= 100),
	CONSTRAINT ck_platform_jobs_generation CHECK (generation >= 0),
	CONSTRAINT ck_platform_jobs_event_pair CHECK ((event_id IS NULL) = (subscriber_id IS NULL) AND (event_id IS NULL) = (event_type IS NULL)),
	CONSTRAINT ck_platform_jobs_run_subscriber CHECK (job_type <> 'run_subscriber' OR subscriber_id IS NOT NULL),
	CONSTRAINT ck_platform_jobs_provision_tenant CHECK (job_type <> 'provision_tenant' OR tenant_id IS NOT NULL),
	CONSTRAINT ck_platform_jobs_lock CHECK (status = 'running' OR (locked_by IS NULL AND locked_at IS NULL AND lease_expires_at IS NULL)),
	CONSTRAINT ck_platform_jobs_finished CHECK ((status IN ('succeeded', 'failed', 'cancelled')) = (finished_at IS NOT NULL)),
	CONSTRAINT ck_platform_jobs_email_encrypted CHECK (job_type <> 'send_email' OR subscriber_id IS NOT NULL OR (payload ->> 'schema' = 'watchfloor.email.v1' AND json_type(payload, '$.ciphertext') = 'text' AND json_remove(payload, '$.schema', '$.ciphertext') = '{}') IS TRUE)
);

CREATE UNIQUE INDEX uq_platform_jobs_key ON platform_jobs (coalesce(CAST(tenant_id AS TEXT), ''), idempotency_key) WHERE idempotency_key IS NOT NULL;

CREATE INDEX ix_platform_jobs_running ON platform_jobs (locked_by) WHERE status = 'running';

CREATE INDEX ix_platform_jobs_tenant ON platform_jobs (tenant_id, created_at DESC, id DESC) WHERE tenant_id IS NOT NULL;

CREATE INDEX ix_platform_jobs_prunable ON platform_jobs (finished_at) WHERE status IN ('succeeded', 'cancelled') AND event_id IS NOT NULL;

CREATE INDEX ix_platform_jobs_scheduled ON platform_jobs (available_at, id) WHERE status = 'queued' AND scheduled = 1;

CREATE INDEX ix_platform_jobs_dead_group ON platform_jobs (error_fingerprint, finished_at DESC, id DESC) WHERE status = 'failed';

CREATE UNIQUE INDEX uq_platform_jobs_event_subscriber ON platform_jobs (event_id, subscriber_id) WHERE event_id IS NOT NULL;

CREATE INDEX ix_platform_jobs_dead ON platform_jobs (finished_at DESC, id DESC) WHERE status = 'failed';

CREATE INDEX ix_platform_jobs_ready ON platform_jobs (queue, created_at, id) WHERE status = 'queued' AND scheduled = 0;

CREATE INDEX ix_platform_jobs_recent ON platform_jobs (created_at, id);

CREATE TABLE job_attempts (
	job_id TEXT NOT NULL,
	generation INTEGER NOT NULL,
	attempt INTEGER NOT NULL,
	worker_id TEXT NOT NULL,
	claimed_at BIGINT NOT NULL,
	started_at BIGINT,
	finished_at BIGINT NOT NULL,
	outcome TEXT NOT NULL,
	retry_at BIGINT,
	error TEXT,
	CONSTRAINT pk_job_attempts PRIMARY KEY (job_id, generation),
	CONSTRAINT ck_job_attempts_outcome CHECK (outcome IN ('completed', 'failed', 'dead_letter', 'lease_expired', 'superseded', 'released', 'abandoned', 'cancelled')),
	CONSTRAINT ck_job_attempts_error CHECK (length(error) BETWEEN 0 AND 4000)
);

CREATE INDEX ix_job_attempts_finished ON job_attempts (finished_at);

CREATE INDEX ix_job_attempts_worker ON job_attempts (worker_id, finished_at DESC);

CREATE TABLE operators (
	id TEXT NOT NULL,
	name TEXT NOT NULL,
	role TEXT NOT NULL,
	password TEXT,
	created_at BIGINT DEFAULT (CAST(strftime('%s', 'now') AS INTEGER) * 1000000 + CAST(substr(strftime('%f', 'now'), 4) AS INTEGER) * 1000) NOT NULL,
	disabled_at BIGINT,
	last_seen_at BIGINT,
	CONSTRAINT pk_operators PRIMARY KEY (id),
	CONSTRAINT ck_operators_name CHECK (length(name) BETWEEN 1 AND 100),
	CONSTRAINT ck_operators_role CHECK (role IN ('viewer', 'operator', 'admin'))
);

CREATE UNIQUE INDEX uq_operators_name ON operators (lower(name));

CREATE TABLE rate_counters (
	"key" TEXT NOT NULL,
	minute BIGINT NOT NULL,
	uses INTEGER NOT NULL,
	CONSTRAINT pk_rate_counters PRIMARY KEY ("key", minute)
);

CREATE TABLE operator_actions (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	at BIGINT NOT NULL,
	actor TEXT NOT NULL,
	action TEXT NOT NULL,
	outcome TEXT NOT NULL,
	target TEXT,
	tenant_id TEXT,
	jobs INTEGER DEFAULT '0' NOT NULL,
	reason TEXT,
	detail TEXT DEFAULT '{}' NOT NULL,
	address TEXT,
	request_id TEXT,
	previous_hash TEXT NOT NULL,
	hash TEXT NOT NULL,
	CONSTRAINT ck_operator_actions_outcome CHECK (outcome IN ('done', 'refused')),
	CONSTRAINT ck_operator_actions_actor CHECK (length(actor) BETWEEN 1 AND 100),
	CONSTRAINT ck_operator_actions_action CHECK (length(action) BETWEEN 1 AND 50),
	CONSTRAINT ck_operator_actions_target CHECK (length(target) BETWEEN 0 AND 300),
	CONSTRAINT ck_operator_actions_reason CHECK (length(reason) BETWEEN 0 AND 500),
	CONSTRAINT uq_operator_actions_hash UNIQUE (hash)
);

CREATE TABLE dead_letter_groups (
	fingerprint TEXT NOT NULL,
	assignee TEXT,
	note TEXT,
	snoozed_until BIGINT,
	updated_at BIGINT NOT NULL,
	updated_by TEXT NOT NULL,
	CONSTRAINT pk_dead_letter_groups PRIMARY KEY (fingerprint),
	CONSTRAINT ck_dead_letter_groups_note CHECK (length(note) BETWEEN 0 AND 2000)
);

CREATE TABLE statistics_minutes (
	minute BIGINT NOT NULL,
	handler_key TEXT NOT NULL,
	queue TEXT NOT NULL,
	outcome TEXT NOT NULL,
	jobs INTEGER NOT NULL,
	run_ms BIGINT NOT NULL,
	wait_ms BIGINT NOT NULL,
	run_3 INTEGER DEFAULT '0' NOT NULL,
	run_10 INTEGER DEFAULT '0' NOT NULL,
	run_30 INTEGER DEFAULT '0' NOT NULL,
	run_100 INTEGER DEFAULT '0' NOT NULL,
	run_300 INTEGER DEFAULT '0' NOT NULL,
	run_1000 INTEGER DEFAULT '0' NOT NULL,
	run_3000 INTEGER DEFAULT '0' NOT NULL,
	run_10000 INTEGER DEFAULT '0' NOT NULL,
	run_30000 INTEGER DEFAULT '0' NOT NULL,
	run_100000 INTEGER DEFAULT '0' NOT NULL,
	run_300000 INTEGER DEFAULT '0' NOT NULL,
	run_more INTEGER DEFAULT '0' NOT NULL,
	wait_3 INTEGER DEFAULT '0' NOT NULL,
	wait_10 INTEGER DEFAULT '0' NOT NULL,
	wait_30 INTEGER DEFAULT '0' NOT NULL,
	wait_100 INTEGER DEFAULT '0' NOT NULL,
	wait_300 INTEGER DEFAULT '0' NOT NULL,
	wait_1000 INTEGER DEFAULT '0' NOT NULL,
	wait_3000 INTEGER DEFAULT '0' NOT NULL,
	wait_10000 INTEGER DEFAULT '0' NOT NULL,
	wait_30000 INTEGER DEFAULT '0' NOT NULL,
	wait_100000 INTEGER DEFAULT '0' NOT NULL,
	wait_300000 INTEGER DEFAULT '0' NOT NULL,
	wait_more INTEGER DEFAULT '0' NOT NULL,
	CONSTRAINT pk_statistics_minutes PRIMARY KEY (minute, handler_key, queue, outcome)
);

CREATE TABLE tenants (
	id TEXT NOT NULL,
	slug TEXT NOT NULL,
	display_name TEXT NOT NULL,
	schema_name TEXT NOT NULL,
	onboarding_status TEXT DEFAULT 'created' NOT NULL,
	created_at BIGINT DEFAULT (CAST(strftime('%s', 'now') AS INTEGER) * 1000000 + CAST(substr(strftime('%f', 'now'), 4) AS INTEGER) * 1000) NOT NULL,
	activated_at BIGINT,
	CONSTRAINT pk_tenants PRIMARY KEY (id),
	CONSTRAINT ck_tenants_slug CHECK (slug GLOB '[a-z0-9]*' AND slug NOT GLOB '*[^a-z0-9-]*' AND length(slug) <= 63),
	CONSTRAINT ck_tenants_display_name CHECK (length(display_name) BETWEEN 1 AND 200),
	CONSTRAINT ck_tenants_schema_name CHECK (schema_name GLOB 'tenant_[a-z0-9_]*' AND schema_name NOT GLOB '*[^a-z0-9_]*' AND length(schema_name) <= 63),
	CONSTRAINT ck_tenants_onboarding_status CHECK (onboarding_status IN ('created', 'provisioning', 'active', 'suspended')),
	CONSTRAINT uq_tenants_slug UNIQUE (slug),
	CONSTRAINT uq_tenants_schema_name UNIQUE (schema_name)
);

CREATE TABLE worker_instances (
	instance_id TEXT NOT NULL,
	component TEXT NOT NULL,
	role TEXT,
	label TEXT,
	job_types TEXT NOT NULL,
	queues TEXT,
	concurrency INTEGER NOT NULL,
	metadata TEXT,
	host TEXT,
	pid INTEGER,
	version TEXT,
	started_at BIGINT NOT NULL,
	last_heartbeat_at BIGINT NOT NULL,
	recent_beats TEXT DEFAULT '[]' NOT NULL,
	heartbeat_interval_seconds INTEGER DEFAULT '10' NOT NULL,
	drain_requested_at BIGINT,
	stopped_at BIGINT,
	CONSTRAINT pk_worker_instances PRIMARY KEY (instance_id),
	CONSTRAINT ck_worker_instances_instance_id CHECK (length(instance_id) BETWEEN 1 AND 100),
	CONSTRAINT ck_worker_instances_component CHECK (length(component) BETWEEN 1 AND 100),
	CONSTRAINT ck_worker_instances_role CHECK (length(role) BETWEEN 0 AND 100),
	CONSTRAINT ck_worker_instances_label CHECK (length(label) BETWEEN 0 AND 200),
	CONSTRAINT ck_worker_instances_queues CHECK (queues IS NULL OR json_array_length(queues) > 0),
	CONSTRAINT ck_worker_instances_metadata CHECK ((metadata IS NULL OR json_valid(metadata)) AND length(CAST(metadata AS text)) <= 16384)
);

CREATE INDEX ix_worker_instances_live ON worker_instances (component) WHERE stopped_at IS NULL;

CREATE INDEX ix_worker_instances_page ON worker_instances (started_at DESC, instance_id DESC);

CREATE TABLE runtime_heartbeats (
	component TEXT NOT NULL,
	instance_id TEXT NOT NULL,
	heartbeat_at BIGINT NOT NULL,
	detail TEXT DEFAULT '{}' NOT NULL,
	CONSTRAINT pk_runtime_heartbeats PRIMARY KEY (component)
);

CREATE TABLE sleepers (
	channel TEXT NOT NULL,
	sleeper TEXT NOT NULL,
	since BIGINT NOT NULL,
	CONSTRAINT pk_sleepers PRIMARY KEY (channel, sleeper)
);

CREATE TABLE queue_controls (
	queue TEXT NOT NULL,
	paused_at BIGINT NOT NULL,
	paused_by TEXT NOT NULL,
	paused_until BIGINT,
	reason TEXT NOT NULL,
	CONSTRAINT pk_queue_controls PRIMARY KEY (queue),
	CONSTRAINT ck_queue_controls_reason CHECK (length(reason) BETWEEN 0 AND 500)
);

CREATE TABLE job_steps (
	job_id TEXT NOT NULL,
	generation INTEGER NOT NULL,
	ordinal SMALLINT NOT NULL,
	step TEXT NOT NULL,
	started_at BIGINT NOT NULL,
	finished_at BIGINT,
	outcome TEXT,
	error TEXT,
	CONSTRAINT pk_job_steps PRIMARY KEY (job_id, generation, ordinal),
	CONSTRAINT ck_job_steps_outcome CHECK (outcome IN ('done', 'skipped', 'failed', 'lost')),
	CONSTRAINT ck_job_steps_error CHECK (length(error) BETWEEN 0 AND 4000),
	CONSTRAINT fk_job_steps_job_id FOREIGN KEY(job_id) REFERENCES platform_jobs (id) ON DELETE CASCADE
);

CREATE TABLE operator_sessions (
	token_hash TEXT NOT NULL,
	operator_id TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	seen_at BIGINT NOT NULL,
	expires_at BIGINT NOT NULL,
	address TEXT,
	user_agent TEXT,
	CONSTRAINT pk_operator_sessions PRIMARY KEY (token_hash),
	CONSTRAINT fk_operator_sessions_operator_id FOREIGN KEY(operator_id) REFERENCES operators (id) ON DELETE CASCADE
);

CREATE INDEX ix_operator_sessions_operator_id ON operator_sessions (operator_id);

CREATE TABLE sign_in_links (
	token_hash TEXT NOT NULL,
	operator_id TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	expires_at BIGINT NOT NULL,
	used_at BIGINT,
	CONSTRAINT pk_sign_in_links PRIMARY KEY (token_hash),
	CONSTRAINT fk_sign_in_links_operator_id FOREIGN KEY(operator_id) REFERENCES operators (id) ON DELETE CASCADE
);

CREATE INDEX ix_sign_in_links_operator_id ON sign_in_links (operator_id);

CREATE TABLE operator_action_jobs (
	action_id BIGINT NOT NULL,
	job_id TEXT NOT NULL,
	CONSTRAINT pk_operator_action_jobs PRIMARY KEY (action_id, job_id),
	CONSTRAINT fk_operator_action_jobs_action_id FOREIGN KEY(action_id) REFERENCES operator_actions (id)
);

CREATE INDEX ix_operator_action_jobs_job ON operator_action_jobs (job_id, action_id DESC);

CREATE VIEW processing_jobs AS
SELECT id, queue, event_id, event_type, subscriber_id, source, payload, schema_version, metadata AS job_metadata,
       CASE status WHEN 'queued' THEN 'pending' WHEN 'running' THEN 'claimed' WHEN 'succeeded' THEN 'completed'
                   WHEN 'failed' THEN 'dead_letter' ELSE status END AS status,
       attempts, max_attempts, available_at, locked_by, locked_at, lease_expires_at, error_detail AS last_error,
       created_at, updated_at, finished_at AS completed_at
FROM platform_jobs WHERE subscriber_id IS NOT NULL;

CREATE TRIGGER processing_jobs_written INSTEAD OF UPDATE ON processing_jobs
BEGIN
    SELECT RAISE(ABORT, 'cannot update column "status" of view "processing_jobs"') WHERE new.status IS NOT old.status;
    UPDATE platform_jobs
    SET id = new.id, queue = new.queue, event_id = new.event_id, event_type = new.event_type,
        subscriber_id = new.subscriber_id, source = new.source, payload = new.payload,
        schema_version = new.schema_version, metadata = new.job_metadata, attempts = new.attempts,
        max_attempts = new.max_attempts, available_at = new.available_at, locked_by = new.locked_by,
        locked_at = new.locked_at, lease_expires_at = new.lease_expires_at, error_detail = new.last_error,
        created_at = new.created_at, updated_at = new.updated_at, finished_at = new.completed_at
    WHERE id = old.id;
END;

CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL,
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);

INSERT INTO alembic_version VALUES ('20261129_c010');
