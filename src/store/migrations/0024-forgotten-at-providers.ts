import type { Migration } from '../database/migration.ts';

/**
 * What is still to be deleted at model providers. No account owns the rows: they outlive the agent and the account, by
 * hours at most.
 */
export const migration0024: Migration = {
  name: '0024-forgotten-at-providers',
  statements: [
    `create table forgotten_at_providers (
      id text primary key not null,
      agent_id text not null,
      provider text not null,
      config text not null,
      sealed_secrets text not null,
      kept text not null,
      attempts integer not null default 0,
      due_at text not null,
      updated_at text not null,
      unique (agent_id, kept)
    ) strict`,
    `create index forgotten_at_providers_due on forgotten_at_providers (due_at)`,
  ],
};
