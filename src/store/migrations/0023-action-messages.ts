import type { Migration } from '../database/migration.ts';

/** The message that an action of a model has written, by which the action is recognized after a crash. */
export const migration0023: Migration = {
  name: '0023-action-messages',
  statements: [`alter table delivery_actions add column message_id text`],
};
