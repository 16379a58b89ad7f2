import type { Migration } from '../database/migration.ts';
import { accountBytesSchema, COUNTED_TEXTS, countedBytes } from '../schema/account-bytes.ts';

/** The tables and columns of then: later steps add some, and count them. */
const { call_turns: _, ...TABLES } = COUNTED_TEXTS;
const TEXTS = { ...TABLES, messages: ['text', 'error'] };

/** How many bytes each account stores, counted once from all rows and by triggers from then on. */
export const migration0034: Migration = {
  name: '0034-account-bytes',
  statements: [
    accountBytesSchema(TEXTS),
    `insert into account_bytes (account_id, bytes)
  select id, coalesce(bytes, 0) from accounts left join (${countedBytes(TEXTS)}) on account_id = id;`,
  ],
};
