import type { Migration } from '../database/migration.ts';

/**
 * Inbound calls are matched by a secret of the trunk, added when the trunks are loaded. Listing a number proves
 * nothing, so one account's listing must not prevent the number's owner from listing it.
 */
export const migration0009: Migration = {
  name: '0009-trunk-tokens',
  statements: [
    `alter table sip_trunks add column sealed_inbound_token text`,
    `alter table sip_trunks add column behind_nat integer not null default 0 check (behind_nat in (0, 1))`,
    `create table sip_dids_by_account (
      id text primary key,
      account_id text not null references accounts (id) on delete cascade,
      number text not null,
      label text,
      auto_answer integer not null check (auto_answer in (0, 1)),
      created_at text not null,
      unique (account_id, number)
    ) strict`,
    `insert into sip_dids_by_account (id, account_id, number, label, auto_answer, created_at)
      select id, account_id, number, label, auto_answer, created_at from sip_dids`,
    `drop table sip_dids`,
    `alter table sip_dids_by_account rename to sip_dids`,
  ],
};
