import type { Migration } from '../database/migration.ts';

/**
 * Since when everyone who can sign in to an account has proven ownership of its address; for existing accounts, their
 * email verification is taken as proof. Browsers in which the password was correct. The session that approved a client.
 * Audit log lines without an account: failed sign-ins at unknown addresses, and the record of a deleted account.
 */
export const migration0008: Migration = {
  name: '0008-owners',
  statements: [
    `alter table accounts add column owner_proven_at text`,
    `update accounts set owner_proven_at = email_verified_at`,
    `alter table mcp_authorizations add column session_id text`,
    `create table known_browsers (
      token_hash text primary key,
      account_id text not null references accounts (id) on delete cascade,
      created_at text not null,
      last_used_at text not null
    ) strict, without rowid`,
    `create index known_browsers_of_account on known_browsers (account_id, last_used_at)`,
    `create table audit_log_of_accounts_and_none (
      id integer primary key autoincrement,
      account_id text references accounts (id) on delete cascade,
      credential_kind text not null,
      credential_id text not null,
      action text not null,
      subject text,
      detail text not null,
      created_at text not null
    ) strict`,
    `insert into audit_log_of_accounts_and_none
      select id, account_id, credential_kind, credential_id, action, subject, detail, created_at from audit_log`,
    `drop table audit_log`,
    `alter table audit_log_of_accounts_and_none rename to audit_log`,
    `create index audit_log_of_account on audit_log (account_id, id)`,
    `create index failed_passwords_by_time on audit_log (created_at) where action = 'password.fail'`,
  ],
};
