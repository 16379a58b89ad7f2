import type { Migration } from '../database/migration.ts';

/**
 * A spent refresh token keeps the token pair issued for it, sealed with the token itself, for as long as the refresh
 * may be repeated. A grant records the platforms that its last refresh narrowed it to; null: all that its authorization
 * allows.
 */
export const migration0011: Migration = {
  name: '0011-refresh-repeats',
  statements: [
    `alter table oauth_tokens add column sealed_successor text`,
    `alter table oauth_grants add column narrowed_to text`,
    `create index sealed_oauth_tokens on oauth_tokens (spent_at) where sealed_successor is not null`,
  ],
};
