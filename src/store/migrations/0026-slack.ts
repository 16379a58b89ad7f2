import type { Migration } from '../database/migration.ts';

/**
 * Slack: who the accounts' own bots are there, so that events find their bot before Slack has been asked again, and one
 * bot of Slack's is registered once. `enterprise_id`: the organization, where the app is installed in all of it.
 */
export const migration0026: Migration = {
  name: '0026-slack',
  statements: [
    `create table slack_bots (
      bot_id text primary key references bot_tokens (id) on delete cascade,
      team_id text not null,
      enterprise_id text,
      user_id text not null,
      unique (team_id, user_id)
    ) strict, without rowid`,
  ],
};
