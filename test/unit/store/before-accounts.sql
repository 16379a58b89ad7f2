-- What a gateway kept before there were people: schema 0002, one row or more in every table.
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE migrations (name text primary key, applied_at text not null) strict;
INSERT INTO migrations VALUES('0001-main-job','2026-11-20T12:00:00.000Z');
INSERT INTO migrations VALUES('0002-call-rate','2026-11-20T12:00:00.000Z');
CREATE TABLE facts (
      name text primary key,
      value text not null
    ) strict;
INSERT INTO facts VALUES('master_key_id','90545d8e');
CREATE TABLE accounts (
      id text primary key,
      name text not null,
      created_at text not null
    ) strict;
INSERT INTO accounts VALUES('acc_8dwC1SjPoJMvBrxdQsTe','Operator','2026-11-20T12:00:00.000Z');
CREATE TABLE agents (
      id text primary key,
      account_id text not null references accounts (id) on delete cascade,
      name text not null check (length(name) between 1 and 80),
      is_default integer not null check (is_default in (0, 1)),
      created_at text not null
    ) strict;
INSERT INTO agents VALUES('agt_CmeiuYqB1MCauW1n2Qac','acc_8dwC1SjPoJMvBrxdQsTe','Default agent',1,'2026-11-20T12:00:00.000Z');
CREATE TABLE api_keys (
      id text primary key,
      account_id text not null references accounts (id) on delete cascade,
      kind text not null check (kind in ('agent', 'settings')),
      hash text not null unique,
      key_prefix text not null,
      name text not null,
      created_at text not null,
      last_used_at text,
      revoked_at text
    ) strict;
INSERT INTO api_keys VALUES('key_EaxfQX_3mELqbB2lM_Bv','acc_8dwC1SjPoJMvBrxdQsTe','agent','c3f8c7253cc95908fe4c1d4633db20f3b8eaba4ca067be4e5e615b05a4a22037','svc_aaaaaaaa','Bootstrap agent key','2026-11-20T12:00:00.000Z','2026-11-20T12:00:00.000Z',NULL);
INSERT INTO api_keys VALUES('key_qcG3H4Hm8uIFKXR_0Vi6','acc_8dwC1SjPoJMvBrxdQsTe','settings','5f12c725722126212dc1f089a61213a37d70e67d2a6cc116ef1b6d1226a21af3','svc_bbbbbbbb','Bootstrap settings key','2026-11-20T12:00:00.000Z',NULL,NULL);
CREATE TABLE agent_keys (
      agent_id text not null references agents (id) on delete cascade,
      key_id text not null references api_keys (id) on delete cascade,
      primary key (agent_id, key_id)
    ) strict, without rowid;
INSERT INTO agent_keys VALUES('agt_CmeiuYqB1MCauW1n2Qac','key_EaxfQX_3mELqbB2lM_Bv');
CREATE TABLE agent_accounts (
      agent_id text not null references agents (id) on delete cascade,
      member_type text not null check (member_type in ('connection', 'bot_token', 'sip_number')),
      member_id text not null,
      primary key (agent_id, member_type, member_id)
    ) strict, without rowid;
INSERT INTO agent_accounts VALUES('agt_CmeiuYqB1MCauW1n2Qac','sip_number','did_RDUVmqRsDJeffpGWSPFJ');
INSERT INTO agent_accounts VALUES('agt_CmeiuYqB1MCauW1n2Qac','sip_number','did_Z0i3RMhUB5UpNEUf-oew');
CREATE TABLE calls (
      call_id text primary key,
      account_id text not null references accounts (id) on delete cascade,
      agent_id text references agents (id) on delete set null,
      room_id text not null,
      participant_id text not null,
      platform text not null,
      meeting_url text not null,
      agent_name text not null,
      direction text not null check (direction in ('inbound', 'outbound')),
      caller text not null,
      state text not null,
      created_at text not null,
      answered_at text,
      ended_at text,
      termination_result text,
      termination_reason text
    , sample_rate_hz integer not null default 8000) strict;
INSERT INTO calls VALUES('call_before1','acc_8dwC1SjPoJMvBrxdQsTe','agt_CmeiuYqB1MCauW1n2Qac','room_1','part_1','sip','sip:+33987654321@trunk.example.com','O''Hara','outbound','','ended','2026-11-20T12:00:00.000Z','2026-11-20T12:00:00.000Z','2026-11-20T12:00:00.000Z','completed','hangup',8000);
INSERT INTO calls VALUES('call_before2','acc_8dwC1SjPoJMvBrxdQsTe','agt_CmeiuYqB1MCauW1n2Qac','room_2','part_2','sip','sip:+33987654321@trunk.example.com','O''Hara','inbound','','missed','2026-11-20T12:00:00.000Z',NULL,'2026-11-20T12:00:00.000Z',NULL,NULL,48000);
INSERT INTO calls VALUES('call_before3','acc_8dwC1SjPoJMvBrxdQsTe',NULL,'room_3','part_3','sip','sip:+33987654321@trunk.example.com','O''Hara','outbound','','active','2026-11-20T12:00:00.000Z','2026-11-20T12:00:00.000Z',NULL,NULL,NULL,8000);
CREATE TABLE sip_trunks (
      account_id text primary key references accounts (id) on delete cascade,
      host text not null,
      port integer not null check (port between 1 and 65535),
      transport text not null check (transport in ('udp', 'tcp', 'tls')),
      username text not null,
      sealed_password text not null,
      realm text,
      caller_id text,
      register integer not null check (register in (0, 1)),
      srtp text not null check (srtp in ('off', 'optional', 'required')),
      created_at text not null,
      updated_at text not null
    ) strict;
INSERT INTO sip_trunks VALUES('acc_8dwC1SjPoJMvBrxdQsTe','trunk.example.com',5061,'tls','1001','v1.90545d8e.lS3MBbycGFSuzDhVnWRRCQgQfa-Dic0Ec59SHBcJyvKvFwqPoF39IDGpfyCB8727k8U',NULL,'+33123456789',1,'required','2026-11-20T12:00:00.000Z','2026-11-20T12:00:00.000Z');
CREATE TABLE sip_dids (
      id text primary key,
      account_id text not null references accounts (id) on delete cascade,
      number text not null unique,
      label text,
      auto_answer integer not null check (auto_answer in (0, 1)),
      created_at text not null
    ) strict;
INSERT INTO sip_dids VALUES('did_RDUVmqRsDJeffpGWSPFJ','acc_8dwC1SjPoJMvBrxdQsTe','+33123456789','Désk',1,'2026-11-20T12:00:00.000Z');
INSERT INTO sip_dids VALUES('did_Z0i3RMhUB5UpNEUf-oew','acc_8dwC1SjPoJMvBrxdQsTe','+33123456790',NULL,0,'2026-11-20T12:00:00.000Z');
CREATE TABLE events (
      id integer primary key autoincrement,
      account_id text not null references accounts (id) on delete cascade,
      agent_id text references agents (id) on delete cascade,
      type text not null,
      payload text not null,
      created_at text not null
    ) strict;
INSERT INTO events VALUES(1,'acc_8dwC1SjPoJMvBrxdQsTe','agt_CmeiuYqB1MCauW1n2Qac','call.ended','{"call_id":"call_before1"}','2026-11-20T12:00:00.000Z');
INSERT INTO events VALUES(2,'acc_8dwC1SjPoJMvBrxdQsTe',NULL,'call.missed','{"call_id":"call_before2"}','2026-11-20T12:00:00.000Z');
CREATE INDEX agents_of_account on agents (account_id);
CREATE UNIQUE INDEX one_default_agent on agents (account_id) where is_default = 1;
CREATE INDEX api_keys_of_account on api_keys (account_id);
CREATE INDEX agents_of_key on agent_keys (key_id);
CREATE INDEX agents_of_member on agent_accounts (member_type, member_id);
CREATE INDEX calls_of_account on calls (account_id, created_at);
CREATE INDEX calls_of_agent on calls (agent_id);
CREATE INDEX live_calls on calls (account_id) where ended_at is null;
CREATE INDEX sip_dids_of_account on sip_dids (account_id);
CREATE INDEX events_of_account on events (account_id, id);
CREATE INDEX events_of_agent on events (agent_id);
COMMIT;
