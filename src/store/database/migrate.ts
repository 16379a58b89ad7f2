import type { Database } from 'better-sqlite3';
import { migration0001 } from '../migrations/0001-main-job.ts';
import { migration0002 } from '../migrations/0002-call-rate.ts';
import { migration0003 } from '../migrations/0003-accounts.ts';
import { migration0004 } from '../migrations/0004-messages.ts';
import { migration0005 } from '../migrations/0005-event-platforms.ts';
import { migration0006 } from '../migrations/0006-mcp-authorizations.ts';
import { migration0007 } from '../migrations/0007-call-events.ts';
import { migration0008 } from '../migrations/0008-owners.ts';
import { migration0009 } from '../migrations/0009-trunk-tokens.ts';
import { migration0010 } from '../migrations/0010-account-caps.ts';
import { migration0011 } from '../migrations/0011-refresh-repeats.ts';
import { migration0012 } from '../migrations/0012-bot-owners.ts';
import { migration0013 } from '../migrations/0013-cursor-times.ts';
import { migration0014 } from '../migrations/0014-background-messages.ts';
import { migration0015 } from '../migrations/0015-call-capabilities.ts';
import { migration0016 } from '../migrations/0016-spaces.ts';
import { migration0017 } from '../migrations/0017-connections.ts';
import { migration0018 } from '../migrations/0018-voice-configs.ts';
import { migration0019 } from '../migrations/0019-transcripts.ts';
import { migration0020 } from '../migrations/0020-speech-usage.ts';
import { migration0021 } from '../migrations/0021-number-presets.ts';
import { migration0022 } from '../migrations/0022-inline-models.ts';
import { migration0023 } from '../migrations/0023-action-messages.ts';
import { migration0024 } from '../migrations/0024-forgotten-at-providers.ts';
import { migration0025 } from '../migrations/0025-discord.ts';
import { migration0026 } from '../migrations/0026-slack.ts';
import { migration0027 } from '../migrations/0027-slack-logins.ts';
import { migration0028 } from '../migrations/0028-teams.ts';
import { migration0029 } from '../migrations/0029-attempts-by-time.ts';
import type { Migration } from './migration.ts';

import { StoreError } from './store-error.ts';

const MIGRATIONS: readonly Migration[] = [
  migration0001,
  migration0002,
  migration0003,
  migration0004,
  migration0005,
  migration0006,
  migration0007,
  migration0008,
  migration0009,
  migration0010,
  migration0011,
  migration0012,
  migration0013,
  migration0014,
  migration0015,
  migration0016,
  migration0017,
  migration0018,
  migration0019,
  migration0020,
  migration0021,
  migration0022,
  migration0023,
  migration0024,
  migration0025,
  migration0026,
  migration0027,
  migration0028,
  migration0029,
];

/**
 * Throws a StoreError when the database was written by a newer gateway or does not belong to a gateway. Only reads. An
 * empty database passes.
 */
export function checkSchema(database: Database, path: string): void {
  const applied = appliedMigrations(database);
  if (applied === null) {
    throw new StoreError('not_a_database', `${path} is not a database of this gateway; it was not changed`);
  }
  const known = new Set(MIGRATIONS.map((migration) => migration.name));
  const unknown = applied.filter((name) => !known.has(name));
  if (unknown.length > 0) {
    throw new StoreError(
      'newer_schema',
      `${path} was written by a newer version of the gateway (it has ${unknown.join(', ')}); ` +
        'start that version, or restore a backup made before the upgrade',
    );
  }
}

/** Brings the schema up to date. Each step runs in its own transaction, so a crash leaves only complete steps. */
export function migrate(database: Database, nowIso: () => string): void {
  database.exec(
    'create table if not exists migrations (name text primary key, applied_at text not null) strict',
  );
  const applied = new Set(appliedMigrations(database));
  for (const migration of MIGRATIONS) {
    if (!applied.has(migration.name)) apply(database, migration, nowIso());
  }
}

function apply(database: Database, migration: Migration, nowIso: string): void {
  database
    .transaction(() => {
      for (const statement of migration.statements) database.exec(statement);
      database.prepare('insert into migrations (name, applied_at) values (?, ?)').run(migration.name, nowIso);
    })
    .immediate();
}

/** Returns the names of the applied steps. Empty for an empty database; null when the tables are not a gateway's. */
function appliedMigrations(database: Database): string[] | null {
  const tables = database.prepare("select name from sqlite_master where type = 'table'").pluck().all();
  if (tables.length === 0) return [];
  if (!tables.includes('migrations')) return null;
  const columns = database.prepare("select name from pragma_table_info('migrations')").pluck().all();
  if (!columns.includes('applied_at')) return null;
  return database.prepare<[], string>('select name from migrations order by name').pluck().all() as string[];
}
