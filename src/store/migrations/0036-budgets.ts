import type { Migration } from '../database/migration.ts';

/** What agents may use of what costs money, and what they have used. */
export const migration0036: Migration = {
  name: '0036-budgets',
  statements: [
    `create table agent_budgets (
  agent_id text primary key references agents (id) on delete cascade,
  limits text not null
) strict, without rowid;`,
    `create table budget_uses (
  account_id text not null references accounts (id) on delete cascade,
  agent_id text not null,
  period text not null,
  turns integer not null,
  tokens integer not null,
  call_ms integer not null,
  primary key (account_id, agent_id, period)
) strict;`,
    'create index budget_uses_by_period on budget_uses (period);',
  ],
};
