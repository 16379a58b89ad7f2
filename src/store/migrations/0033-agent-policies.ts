import type { Migration } from '../database/migration.ts';

/** What the models of agents may do. */
export const migration0033: Migration = {
  name: '0033-agent-policies',
  statements: [
    `create table agent_policies (
  agent_id text primary key references agents (id) on delete cascade,
  calls_to text not null,
  new_conversations integer not null check (new_conversations in (0, 1)),
  actions_per_turn integer not null check (actions_per_turn between 0 and 20),
  reading_tools text,
  updated_at text not null
) strict, without rowid;`,
  ],
};
