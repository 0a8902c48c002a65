BEGIN TRANSACTION;
CREATE TABLE accounts (
	name TEXT NOT NULL,
	quota_bytes BIGINT,
	used_bytes BIGINT NOT NULL,
	reserved_bytes BIGINT NOT NULL,
	created_at BIGINT NOT NULL,
	PRIMARY KEY (name),
	CHECK (used_bytes >= 0 AND reserved_bytes >= 0)
);
INSERT INTO "accounts" VALUES('local',NULL,1439,34,1795176000000000);
CREATE TABLE api_keys (
	prefix TEXT NOT NULL,
	account TEXT NOT NULL,
	name TEXT NOT NULL,
	key_type TEXT NOT NULL,
	secret_hash BLOB NOT NULL,
	created_at BIGINT NOT NULL,
	last_used_at BIGINT,
	use_count BIGINT NOT NULL,
	revoked_at BIGINT, maker TEXT,
	PRIMARY KEY (prefix),
	FOREIGN KEY(account) REFERENCES accounts (name)
);
INSERT INTO "api_keys" VALUES('wk_live_a5bc1ae83eec','local','old scripts','live',X'02DE4CB8E8261BCBEBBACAEB889D00F5554819E18F79602803D85B5450AABE6D',1795176000000000,1795176000000000,1,NULL,NULL);
INSERT INTO "api_keys" VALUES('wk_sandbox_57ff62ba8315','local','revoked','sandbox',X'A669EF208887FD43E611F39A452BDC8850ADD5B9AE4E974802060372D60D8F22',1795176000000000,NULL,0,1795176000000000,NULL);
CREATE TABLE audit_log (
	entry_id INTEGER NOT NULL, 
	recorded_at BIGINT NOT NULL, 
	person TEXT NOT NULL, 
	"key" TEXT NOT NULL, 
	event TEXT NOT NULL, 
	subject TEXT NOT NULL, 
	PRIMARY KEY (entry_id)
);
CREATE TABLE bans (
	client TEXT NOT NULL,
	attempts_taken INTEGER NOT NULL,
	lapses_at BIGINT NOT NULL,
	PRIMARY KEY (client)
);
INSERT INTO "bans" VALUES('203.0.113.7',1,1795262400000000);
CREATE TABLE desk_sessions (
	token_hash TEXT NOT NULL,
	password_digest TEXT NOT NULL,
	expires_at BIGINT NOT NULL, person TEXT,
	PRIMARY KEY (token_hash)
);
CREATE TABLE domain_ages (
	domain TEXT NOT NULL,
	registered_at BIGINT,
	asked_at BIGINT NOT NULL,
	expires_at BIGINT NOT NULL,
	PRIMARY KEY (domain)
)
 WITHOUT ROWID
;
CREATE TABLE domain_answers (
	name TEXT NOT NULL,
	question TEXT NOT NULL,
	route TEXT NOT NULL,
	targets TEXT NOT NULL,
	asked_at BIGINT NOT NULL,
	expires_at BIGINT NOT NULL,
	PRIMARY KEY (name, question)
)
 WITHOUT ROWID
;
CREATE TABLE hook_deliveries (
	task_id TEXT NOT NULL, 
	prefix TEXT NOT NULL, 
	state TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	due_at BIGINT NOT NULL, 
	attempt INTEGER NOT NULL, 
	tries_left INTEGER NOT NULL, 
	lease_until BIGINT, 
	tried_at BIGINT, 
	outcome TEXT, 
	PRIMARY KEY (task_id), 
	FOREIGN KEY(task_id) REFERENCES tasks (task_id), 
	FOREIGN KEY(prefix) REFERENCES api_keys (prefix)
);
CREATE TABLE hooks (
	prefix TEXT NOT NULL, 
	url TEXT NOT NULL, 
	salt BLOB NOT NULL, 
	PRIMARY KEY (prefix), 
	FOREIGN KEY(prefix) REFERENCES api_keys (prefix)
);
CREATE TABLE key_usage (
	prefix TEXT NOT NULL, 
	month TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	count BIGINT NOT NULL, 
	PRIMARY KEY (prefix, month, kind)
);
CREATE TABLE known_clients (
	client_hash TEXT NOT NULL, 
	signed_in_at BIGINT NOT NULL, 
	PRIMARY KEY (client_hash)
);
CREATE TABLE links (
	token_hash TEXT NOT NULL,
	task_id TEXT NOT NULL,
	variant TEXT NOT NULL,
	expires_at BIGINT NOT NULL, choice JSON, session_hash TEXT, person TEXT, is_used BOOLEAN,
	PRIMARY KEY (token_hash),
	FOREIGN KEY(task_id) REFERENCES tasks (task_id)
);
INSERT INTO "links" VALUES('9b4f7ad41f4d2e94b23618404a286395bc62a9edcef8ed0d9f0293c7c0de1207','e9f405e1-63e8-4b1c-8553-46a1bb1c7535','original',1795179600000000,NULL,NULL,NULL,NULL);
CREATE TABLE mail_choices (
	account TEXT NOT NULL, 
	headings TEXT NOT NULL, 
	decisions JSON NOT NULL, 
	decided_at BIGINT NOT NULL, 
	PRIMARY KEY (account, headings), 
	FOREIGN KEY(account) REFERENCES accounts (name)
);
CREATE TABLE mail_servers (
	server TEXT NOT NULL,
	domain TEXT NOT NULL,
	is_disposable BOOLEAN NOT NULL,
	seen_at BIGINT NOT NULL,
	PRIMARY KEY (server, domain)
);
CREATE TABLE network_use (
	switch TEXT NOT NULL,
	day TEXT NOT NULL,
	count BIGINT NOT NULL,
	PRIMARY KEY (switch, day)
);
CREATE TABLE own_changes (
	change_id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	account TEXT NOT NULL,
	made_at BIGINT NOT NULL,
	added INTEGER NOT NULL,
	changed INTEGER NOT NULL,
	removed INTEGER NOT NULL,
	steps JSON NOT NULL, size_bytes BIGINT,
	FOREIGN KEY(account) REFERENCES accounts (name)
);
CREATE TABLE own_entries (
	account TEXT NOT NULL,
	pattern TEXT NOT NULL,
	kind TEXT NOT NULL,
	category TEXT NOT NULL,
	note TEXT NOT NULL,
	added_at BIGINT NOT NULL,
	PRIMARY KEY (account, pattern),
	FOREIGN KEY(account) REFERENCES accounts (name)
);
INSERT INTO "own_entries" VALUES('local','partner.example','domain','white','since 2024',1795176000000000);
CREATE TABLE own_files (
	file_id TEXT NOT NULL,
	account TEXT NOT NULL,
	kind TEXT NOT NULL,
	upload_id TEXT,
	file_name TEXT NOT NULL,
	size_bytes BIGINT NOT NULL,
	sha256 TEXT,
	counts JSON,
	created_at BIGINT NOT NULL,
	PRIMARY KEY (file_id),
	FOREIGN KEY(account) REFERENCES accounts (name)
);
CREATE TABLE own_list_versions (
	account TEXT NOT NULL,
	version BIGINT NOT NULL,
	PRIMARY KEY (account),
	FOREIGN KEY(account) REFERENCES accounts (name)
);
INSERT INTO "own_list_versions" VALUES('local',1);
CREATE TABLE people (
	name TEXT NOT NULL, 
	role TEXT NOT NULL, 
	credential TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	PRIMARY KEY (name)
);
CREATE TABLE policies (
	account TEXT NOT NULL,
	policy_id TEXT NOT NULL,
	name TEXT NOT NULL,
	name_key TEXT NOT NULL,
	choice JSON,
	is_default BOOLEAN NOT NULL,
	place INTEGER NOT NULL,
	PRIMARY KEY (account, policy_id),
	UNIQUE (account, name_key),
	FOREIGN KEY(account) REFERENCES accounts (name)
);
CREATE TABLE recent_checks (
	check_id INTEGER NOT NULL,
	account TEXT NOT NULL,
	email TEXT NOT NULL,
	verdict JSON NOT NULL,
	checked_at BIGINT NOT NULL,
	PRIMARY KEY (check_id),
	FOREIGN KEY(account) REFERENCES accounts (name)
);
INSERT INTO "recent_checks" VALUES(1,'local','one@mailboxes.example','["white", "free", ["free_provider"]]',1795176000000000);
CREATE TABLE reservations (
	upload_id TEXT NOT NULL,
	account TEXT NOT NULL,
	size_bytes BIGINT NOT NULL,
	PRIMARY KEY (upload_id),
	CHECK (size_bytes >= 0),
	FOREIGN KEY(account) REFERENCES accounts (name)
);
INSERT INTO "reservations" VALUES('7ed88bd7-75f0-4866-9e7d-98c1569e4d38','local',34);
CREATE TABLE schema_version (
	version INTEGER NOT NULL,
	PRIMARY KEY (version)
);
INSERT INTO "schema_version" VALUES(26);
CREATE TABLE single_usage (
	account TEXT NOT NULL,
	day TEXT NOT NULL,
	count BIGINT NOT NULL,
	PRIMARY KEY (account, day),
	FOREIGN KEY(account) REFERENCES accounts (name)
);
INSERT INTO "single_usage" VALUES('local','2026-11-20',1);
CREATE TABLE switches (
	name TEXT NOT NULL,
	is_on BOOLEAN NOT NULL,
	changed_at BIGINT NOT NULL,
	PRIMARY KEY (name)
);
CREATE TABLE table_versions (
	name TEXT NOT NULL, 
	version BIGINT NOT NULL, 
	PRIMARY KEY (name)
);
INSERT INTO "table_versions" VALUES('people',0);
INSERT INTO "table_versions" VALUES('switches',0);
INSERT INTO "table_versions" VALUES('own_list_versions',0);
INSERT INTO "table_versions" VALUES('policies',0);
INSERT INTO "table_versions" VALUES('own_files',0);
CREATE TABLE tasks (
	task_id TEXT NOT NULL,
	account TEXT NOT NULL,
	upload_id TEXT NOT NULL,
	project_name TEXT NOT NULL,
	file_name TEXT NOT NULL,
	key_type TEXT NOT NULL,
	deduplicate BOOLEAN NOT NULL,
	"plan" JSON NOT NULL,
	input_bytes BIGINT NOT NULL,
	input_sha256 TEXT NOT NULL,
	idempotency_key TEXT,
	state TEXT NOT NULL,
	attempt INTEGER NOT NULL,
	owner TEXT,
	lease_until BIGINT,
	mark INTEGER NOT NULL,
	best_mark INTEGER NOT NULL,
	stalled_attempts INTEGER NOT NULL,
	phase TEXT NOT NULL,
	rows_done BIGINT NOT NULL,
	rows_total BIGINT,
	bytes_done BIGINT NOT NULL,
	bytes_total BIGINT NOT NULL,
	result TEXT,
	result_bytes BIGINT NOT NULL,
	summary JSON,
	notices JSON,
	error JSON,
	created_at BIGINT NOT NULL,
	completed_at BIGINT,
	expires_at BIGINT NOT NULL,
	deleted_at BIGINT, fields_digest TEXT, options JSON, undo_until BIGINT, key_prefix TEXT,
	PRIMARY KEY (task_id),
	UNIQUE (account, idempotency_key),
	FOREIGN KEY(account) REFERENCES accounts (name)
);
INSERT INTO "tasks" VALUES('e9f405e1-63e8-4b1c-8553-46a1bb1c7535','local','ca999a5d-cf2a-4ce7-85d8-7a9b76c98b2c','spring','list.csv','live',1,'{"file_format": "csv", "email_column": 1, "columns": ["id", "email"], "has_header": true, "encoding": "utf-8", "bom": false, "delimiter": ",", "newline": "\r\n", "sheet": null, "preamble_lines": 0}',107,'a6e5ec3dae3c7fba5b6f0bdd78c8faeab3ac855bb92294639baedaf1884375b2','once','completed',1,NULL,NULL,99,0,0,'indexing',4,4,107,107,'e9f405e1-63e8-4b1c-8553-46a1bb1c7535.1',1173,'{"rows_in": 4, "rows_out": 3, "duplicates_removed": 1, "invalid": 1, "charged": 2, "by_category": {"white": 1, "black": 2}, "by_domain_type": {"free": 1, "disposable": 1, "invalid": 1}, "by_reason": {"free_provider": 1, "disposable_listed": 1, "invalid_no_at_sign": 1}, "by_category_and_type": [["black", "disposable", 1], ["black", "invalid", 1], ["white", "free", 1]], "top_domains": [["mailboxes.example", "white", 1], ["throwaway.example", "black", 1]], "data_version": "static"}','[]',NULL,1795176000000000,1795176000000000,1797768000000000,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "tasks" VALUES('bf82e537-54c1-419d-b533-7a2e70c90922','local','fbb50f8f-6861-40b7-a32e-1368ff06951b','','','live',1,'{"file_format": "csv", "email_column": 1, "columns": [], "has_header": true, "encoding": "utf-8", "bom": false, "delimiter": ",", "newline": "\n", "sheet": null, "preamble_lines": 0}',34,'',NULL,'completed',1,NULL,NULL,99,0,0,'indexing',1,1,34,34,NULL,1009,NULL,NULL,NULL,1795176000000000,1795176000000000,1797768000000000,1795176000000000,NULL,NULL,NULL,NULL);
INSERT INTO "tasks" VALUES('f1464883-b17e-4917-b9ce-df3eb4e91577','local','7ed88bd7-75f0-4866-9e7d-98c1569e4d38','queued','list.csv','live',1,'{"file_format": "csv", "email_column": 1, "columns": ["id", "email"], "has_header": true, "encoding": "utf-8", "bom": false, "delimiter": ",", "newline": "\n", "sheet": null, "preamble_lines": 0}',34,'d9180191c6f249292cd58a66b7de37d0786852d1a184da0bf19969ed88929085',NULL,'processing',0,NULL,NULL,0,0,0,'queued',0,NULL,0,34,NULL,0,NULL,'[]',NULL,1795176000000000,NULL,1797768000000000,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE uploads (
	upload_id TEXT NOT NULL,
	account TEXT NOT NULL,
	file_name TEXT NOT NULL,
	size_bytes BIGINT NOT NULL,
	sha256 TEXT,
	created_at BIGINT NOT NULL, merge JSON, merged_into TEXT,
	PRIMARY KEY (upload_id),
	FOREIGN KEY(account) REFERENCES accounts (name)
);
CREATE TABLE usage_ledger (
	task_id TEXT NOT NULL,
	kind TEXT NOT NULL,
	account TEXT NOT NULL,
	count BIGINT NOT NULL,
	day TEXT NOT NULL,
	at BIGINT NOT NULL,
	PRIMARY KEY (task_id, kind),
	FOREIGN KEY(account) REFERENCES accounts (name)
);
INSERT INTO "usage_ledger" VALUES('e9f405e1-63e8-4b1c-8553-46a1bb1c7535','batch','local',2,'2026-11-20',1795176000000000);
INSERT INTO "usage_ledger" VALUES('bf82e537-54c1-419d-b533-7a2e70c90922','batch','local',1,'2026-11-20',1795176000000000);
CREATE INDEX tasks_to_claim ON tasks (state, attempt, created_at);
CREATE INDEX ledger_by_day ON usage_ledger (account, day);
CREATE INDEX checks_of_account ON recent_checks (account, check_id);
CREATE INDEX own_entries_by_age ON own_entries (account, added_at);
CREATE INDEX links_of_task ON links (task_id);
CREATE INDEX own_changes_by_account ON own_changes (account, change_id);
CREATE INDEX own_files_of_upload ON own_files (upload_id);
CREATE INDEX own_files_of_account ON own_files (account, kind);
CREATE INDEX tasks_set_aside ON tasks (undo_until);
CREATE INDEX audit_log_by_time ON audit_log (recorded_at);
CREATE INDEX hook_deliveries_due ON hook_deliveries (state, due_at);
CREATE INDEX hook_deliveries_of_key ON hook_deliveries (prefix, created_at);
CREATE TRIGGER people_INSERT AFTER INSERT ON people BEGIN UPDATE table_versions SET version = version + 1 WHERE name = 'people'; END;
CREATE TRIGGER people_UPDATE AFTER UPDATE ON people BEGIN UPDATE table_versions SET version = version + 1 WHERE name = 'people'; END;
CREATE TRIGGER people_DELETE AFTER DELETE ON people BEGIN UPDATE table_versions SET version = version + 1 WHERE name = 'people'; END;
CREATE TRIGGER switches_INSERT AFTER INSERT ON switches BEGIN UPDATE table_versions SET version = version + 1 WHERE name = 'switches'; END;
CREATE TRIGGER switches_UPDATE AFTER UPDATE ON switches BEGIN UPDATE table_versions SET version = version + 1 WHERE name = 'switches'; END;
CREATE TRIGGER switches_DELETE AFTER DELETE ON switches BEGIN UPDATE table_versions SET version = version + 1 WHERE name = 'switches'; END;
CREATE TRIGGER own_list_versions_INSERT AFTER INSERT ON own_list_versions BEGIN UPDATE table_versions SET version = version + 1 WHERE name = 'own_list_versions'; END;
CREATE TRIGGER own_list_versions_UPDATE AFTER UPDATE ON own_list_versions BEGIN UPDATE table_versions SET version = version + 1 WHERE name = 'own_list_versions'; END;
CREATE TRIGGER own_list_versions_DELETE AFTER DELETE ON own_list_versions BEGIN UPDATE table_versions SET version = version + 1 WHERE name = 'own_list_versions'; END;
CREATE TRIGGER policies_INSERT AFTER INSERT ON policies BEGIN UPDATE table_versions SET version = version + 1 WHERE name = 'policies'; END;
CREATE TRIGGER policies_UPDATE AFTER UPDATE ON policies BEGIN UPDATE table_versions SET version = version + 1 WHERE name = 'policies'; END;
CREATE TRIGGER policies_DELETE AFTER DELETE ON policies BEGIN UPDATE table_versions SET version = version + 1 WHERE name = 'policies'; END;
CREATE TRIGGER own_files_INSERT AFTER INSERT ON own_files BEGIN UPDATE table_versions SET version = version + 1 WHERE name = 'own_files'; END;
CREATE TRIGGER own_files_UPDATE AFTER UPDATE ON own_files BEGIN UPDATE table_versions SET version = version + 1 WHERE name = 'own_files'; END;
CREATE TRIGGER own_files_DELETE AFTER DELETE ON own_files BEGIN UPDATE table_versions SET version = version + 1 WHERE name = 'own_files'; END;
CREATE INDEX tasks_present ON tasks (account, created_at, task_id, deleted_at, undo_until, expires_at, project_name);
DELETE FROM "sqlite_sequence";
COMMIT;
