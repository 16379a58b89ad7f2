import type { Migration } from '../database/migration.ts';

/**
 * Slack: who a login is there, now also for workspaces that installed the app shared by all accounts. `team_id`: the
 * workspace. `enterprise_id`: its organization, if it has one. One bot of Slack's is one login. Own bots can have a
 * token for Socket Mode.
 */
export const migration0027: Migration = {
  name: '0027-slack-logins',
  statements: [
    `create table slack_logins (
      login_key text primary key,
      bot_id text references bot_tokens (id) on delete cascade,
      connection_id text references connections (id) on delete cascade,
      team_id text not null,
      enterprise_id text,
      is_org_wide integer not null check (is_org_wide in (0, 1)),
      user_id text not null,
      unique (team_id, user_id)
    ) strict, without rowid`,
    `create index slack_logins_of_bot on slack_logins (bot_id)`,
    `create index slack_logins_of_connection on slack_logins (connection_id)`,
    `create index slack_logins_of_enterprise on slack_logins (enterprise_id)`,
    `insert into slack_logins
      select bot_id, bot_id, null, team_id, enterprise_id, enterprise_id is not null, user_id from slack_bots`,
    `drop table slack_bots`,
    `alter table bot_tokens add column sealed_app_token text`,
  ],
};
