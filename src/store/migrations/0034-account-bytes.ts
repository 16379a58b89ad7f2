import type { Migration } from '../database/migration.ts';
import { ACCOUNT_BYTES_SCHEMA, COUNTED_BYTES } from '../schema/account-bytes.ts';

/** How many bytes each account stores, counted once from all rows and by triggers from then on. */
export const migration0034: Migration = {
  name: '0034-account-bytes',
  statements: [
    ACCOUNT_BYTES_SCHEMA,
    `insert into account_bytes (account_id, bytes)
  select id, coalesce(bytes, 0) from accounts left join (${COUNTED_BYTES}) on account_id = id;`,
  ],
};
