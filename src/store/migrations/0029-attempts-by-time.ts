import type { Migration } from '../database/migration.ts';

/** Retention finds the uses of the platform bridge's key by their time, as it finds wrong passwords. */
export const migration0029: Migration = {
  name: '0029-attempts-by-time',
  statements: [
    `drop index failed_passwords_by_time`,
    `create index attempts_by_time on audit_log (created_at)
      where action in ('password.fail', 'bridge_key.fail', 'bridge_key.use')`,
  ],
};
