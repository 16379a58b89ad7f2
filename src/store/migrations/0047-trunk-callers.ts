import type { Migration } from '../database/migration.ts';

/** Which header of a trunk's calls may name the caller. */
export const migration0047: Migration = {
  name: '0047-trunk-callers',
  statements: [
    `alter table sip_trunks add column caller_from text not null default 'p_asserted_identity'
  check (caller_from in ('p_asserted_identity', 'remote_party_id', 'from'));`,
  ],
};
