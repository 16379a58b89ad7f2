import type { Migration } from '../database/migration.ts';

/** The server of a connection in progress, where servers belong to people. */
export const migration0031: Migration = {
  name: '0031-pairings',
  statements: ['alter table connection_states add column server text;'],
};
