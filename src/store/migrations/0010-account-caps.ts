import type { Migration } from '../database/migration.ts';

/** Indexes for counting an account's rows before one more is added, to enforce its limits. */
export const migration0010: Migration = {
  name: '0010-account-caps',
  statements: [
    `drop index feedback_of_account`,
    `create index feedback_of_account on feedback (account_id, created_at)`,
    `create index revoked_keys on api_keys (revoked_at) where revoked_at is not null`,
    `create index held_files on files (account_id, state, slot_expires_at) where state in ('reserved', 'stored')`,
  ],
};
