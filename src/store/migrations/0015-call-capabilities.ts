import type { Migration } from '../database/migration.ts';

/** What each call offered, as JSON. Null for calls of earlier versions, which had those of their platform. */
export const migration0015: Migration = {
  name: '0015-call-capabilities',
  statements: [`alter table calls add column capabilities text`],
};
