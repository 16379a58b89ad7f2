import type { Migration } from '../database/migration.ts';

/** Adds a sample rate per call. All earlier calls were SIP calls at 8000 Hz. */
export const migration0002: Migration = {
  name: '0002-call-rate',
  statements: ['alter table calls add column sample_rate_hz integer not null default 8000'],
};
