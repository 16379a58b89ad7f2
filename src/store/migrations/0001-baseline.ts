import type { Migration } from '../database/migration.ts';
import { accountBytesSchema, COUNTED_TEXTS } from '../schema/account-bytes.ts';
import { ACCOUNTS_SCHEMA } from '../schema/accounts.ts';
import { AUTHORIZATIONS_SCHEMA } from '../schema/authorizations.ts';
import { LOGINS_SCHEMA, PLATFORM_RECORDS_SCHEMA } from '../schema/logins.ts';
import { MESSAGES_SCHEMA } from '../schema/messages.ts';
import { MODELS_SCHEMA } from '../schema/models.ts';

/** The schema of a new database, which is always that of today. The later steps bring older databases to it. */
export const migration0001: Migration = {
  name: '0001-baseline',
  statements: [
    ACCOUNTS_SCHEMA,
    LOGINS_SCHEMA,
    MESSAGES_SCHEMA,
    AUTHORIZATIONS_SCHEMA,
    MODELS_SCHEMA,
    PLATFORM_RECORDS_SCHEMA,
    accountBytesSchema(COUNTED_TEXTS),
  ],
};
