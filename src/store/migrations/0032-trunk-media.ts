import type { Migration } from '../database/migration.ts';

/** How long a trunk may be silent, and where it wants the number that calls. */
export const migration0032: Migration = {
  name: '0032-trunk-media',
  statements: [
    'alter table sip_trunks add column media_timeout_s integer check (media_timeout_s between 0 and 3600);',
    `alter table sip_trunks add column caller_id_in text not null default 'from'
  check (caller_id_in in ('from', 'p_asserted_identity', 'p_preferred_identity'));`,
  ],
};
