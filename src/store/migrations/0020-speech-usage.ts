import type { Migration } from '../database/migration.ts';

/** Usage of hosted speech, whose providers bill the account: characters spoken, audio spoken and heard. */
export const migration0020: Migration = {
  name: '0020-speech-usage',
  statements: [
    `alter table usage_days add column spoken_characters integer not null default 0`,
    `alter table usage_days add column spoken_ms integer not null default 0`,
    `alter table usage_days add column heard_ms integer not null default 0`,
  ],
};
