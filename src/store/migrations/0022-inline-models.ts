import type { Migration } from '../database/migration.ts';

/**
 * The gateway calls the models behind agents: how far an agent has read its feed, deliveries with their turns and
 * actions, and what was said in each conversation. The table of deliveries is made anew, since SQLite cannot change a
 * check.
 */
export const migration0022: Migration = {
  name: '0022-inline-models',
  statements: [
    `alter table agent_providers add column feed_position integer not null default 0`,
    `alter table agent_providers add column key_refusals integer not null default 0`,
    `alter table agent_providers add column greeting text`,
    `update agent_providers set feed_position = (select coalesce(max(id), 0) from events)`,
    `create table new_deliveries (
      seq integer primary key autoincrement,
      id text not null unique,
      account_id text not null references accounts (id) on delete cascade,
      agent_id text not null references agents (id) on delete cascade,
      event_id integer,
      event_type text not null,
      lane text not null,
      status text not null check (status in ('queued', 'sent', 'answered', 'delivered', 'merged', 'failed')),
      payload text not null,
      replay_of text,
      turn_id text,
      attempts integer not null default 0,
      provider text,
      input_tokens integer,
      output_tokens integer,
      reply_id text,
      response_body text,
      error text,
      error_type text,
      created_at text not null,
      started_at text,
      answered_at text,
      updated_at text not null
    ) strict`,
    `insert into new_deliveries
      (id, account_id, agent_id, event_type, lane, status, payload, response_body, error, created_at, updated_at)
      select id, account_id, agent_id, event_type, 'test', status, payload, response_body, error, created_at, updated_at
      from deliveries order by created_at, id`,
    `drop table deliveries`,
    `alter table new_deliveries rename to deliveries`,
    `create unique index deliveries_of_event on deliveries (agent_id, event_id)
      where event_id is not null and replay_of is null`,
    `create index deliveries_of_agent on deliveries (agent_id, created_at, id)`,
    `create index deliveries_of_account on deliveries (account_id)`,
    `create index deliveries_of_turn on deliveries (turn_id) where turn_id is not null`,
    `create index deliveries_by_status on deliveries (agent_id, status, lane, seq)`,
    `create table delivery_actions (
      delivery_id text not null references deliveries (id) on delete cascade,
      position integer not null,
      account_id text not null references accounts (id) on delete cascade,
      kind text not null,
      detail text not null,
      status text not null check (status in ('planned', 'claimed', 'done', 'refused', 'failed', 'unknown')),
      reason text,
      created_at text not null,
      updated_at text not null,
      primary key (delivery_id, position)
    ) strict`,
    `create index delivery_actions_of_account on delivery_actions (account_id)`,
    `create table model_conversations (
      id integer primary key autoincrement,
      account_id text not null references accounts (id) on delete cascade,
      agent_id text not null references agents (id) on delete cascade,
      lane text not null,
      config_hash text not null,
      memory text,
      created_at text not null,
      updated_at text not null,
      unique (agent_id, lane)
    ) strict`,
    `create index model_conversations_of_account on model_conversations (account_id)`,
    `create table model_turns (
      id integer primary key autoincrement,
      account_id text not null references accounts (id) on delete cascade,
      conversation_id integer not null references model_conversations (id) on delete cascade,
      delivery_id text,
      role text not null check (role in ('user', 'assistant')),
      text text not null,
      created_at text not null
    ) strict`,
    `create index model_turns_of_conversation on model_turns (conversation_id, id)`,
    `create index model_turns_of_account on model_turns (account_id)`,
  ],
};
