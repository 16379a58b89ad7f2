import type { Database } from 'better-sqlite3';
import { migration0001 } from '../migrations/0001-baseline.ts';
import { migration0030 } from '../migrations/0030-platform-records.ts';
import { migration0031 } from '../migrations/0031-pairings.ts';
import { migration0032 } from '../migrations/0032-trunk-media.ts';
import { migration0033 } from '../migrations/0033-agent-policies.ts';
import { migration0034 } from '../migrations/0034-account-bytes.ts';
import { migration0035 } from '../migrations/0035-leaving-accounts.ts';
import { migration0036 } from '../migrations/0036-budgets.ts';
import { migration0037 } from '../migrations/0037-message-context.ts';
import { migration0040 } from '../migrations/0040-live-replies.ts';
import { migration0042 } from '../migrations/0042-turn-metrics.ts';
import { migration0044 } from '../migrations/0044-owners-of-forgotten.ts';
import { migration0047 } from '../migrations/0047-trunk-callers.ts';
import { migration0051 } from '../migrations/0051-usage-of-calls.ts';
import { migration0052 } from '../migrations/0052-early-edits.ts';
import { migration0053 } from '../migrations/0053-voice-notes.ts';
import { migration0054 } from '../migrations/0054-live-since.ts';
import type { Migration } from './migration.ts';
import { StoreError } from './store-error.ts';

const MIGRATIONS: readonly Migration[] = [
  migration0001,
  migration0030,
  migration0031,
  migration0032,
  migration0033,
  migration0034,
  migration0035,
  migration0036,
  migration0037,
  migration0040,
  migration0042,
  migration0044,
  migration0047,
  migration0051,
  migration0052,
  migration0053,
  migration0054,
];

/** The last of the steps that made the baseline, before there was a release. */
const LAST_BEFORE_BASELINE = '0029-attempts-by-time';

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
    if (!unknown.some((name) => name > LAST_BEFORE_BASELINE))
      throw new StoreError(
        'older_schema',
        `${path} was written before the first release, by a version that this one cannot carry over; it was not changed: ` +
          'start a version of late November 2026 with it once, or start with an empty data directory',
      );
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
  carryOver(database, nowIso());
  const applied = new Set(appliedMigrations(database));
  // A new database gets the tables of today at once.
  if (applied.size === 0) return apply(database, migration0001, MIGRATIONS, nowIso());
  for (const migration of MIGRATIONS) {
    if (!applied.has(migration.name)) apply(database, migration, [migration], nowIso());
  }
}

/** Notes that a database from before the baseline has it: the steps of then made the tables that it had at first. */
function carryOver(database: Database, nowIso: string): void {
  const isFrom = database.prepare('select 1 from migrations where name = ?').get(LAST_BEFORE_BASELINE);
  if (isFrom === undefined) return;
  database
    .transaction(() => {
      database.prepare('delete from migrations where name <= ?').run(LAST_BEFORE_BASELINE);
      database
        .prepare('insert into migrations (name, applied_at) values (?, ?)')
        .run(migration0001.name, nowIso);
    })
    .immediate();
}

/** `done`: the steps that need not run any more then. */
function apply(
  database: Database,
  { statements }: Migration,
  done: readonly Migration[],
  nowIso: string,
): void {
  database
    .transaction(() => {
      for (const statement of statements) database.exec(statement);
      const note = database.prepare('insert into migrations (name, applied_at) values (?, ?)');
      for (const { name } of done) note.run(name, nowIso);
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
  const names = database.prepare<[], string>('select name from migrations order by name').pluck().all();
  return names.includes(LAST_BEFORE_BASELINE)
    ? [migration0001.name, ...names.filter((name) => name > LAST_BEFORE_BASELINE)]
    : names;
}
