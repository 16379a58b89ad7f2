import {
  CompiledQuery,
  type Insertable,
  type Kysely,
  type QueryResult,
  type Selectable,
  type SelectType,
  type Updateable,
} from 'kysely';
import { columns } from './columns.ts';
import type { Tables } from './tables.ts';

/** The database, or a transaction in it. Functions of the store take either. */
export type Db = Kysely<Tables>;

type Table = keyof Tables;

/** A row of a table. */
export type Row<T extends Table> = Selectable<Tables[T]>;

/** Selects the rows with this value, or one of these, in each of these columns. Null: without a value. */
export type Where<T extends Table> = {
  readonly [Column in keyof Tables[T]]?:
    | SelectType<Tables[T][Column]>
    | readonly SelectType<Tables[T][Column]>[];
};

/** New values of a row. Columns that are undefined stay as they are. */
type Change<T extends Table> = {
  readonly [Column in keyof Updateable<Tables[T]>]?: Updateable<Tables[T]>[Column] | undefined;
};

/** The tables with rows that expire. */
type Expiring = {
  [T in Table]: Row<T> extends { readonly expiresAt: string } ? T : never;
}[Table];

type Order<T extends Table> = readonly (string & keyof Tables[T])[];

export async function insertRow<T extends Table>(
  db: Db,
  table: T,
  row: Insertable<Tables[T]>,
): Promise<void> {
  await run(db, ...insertionOf(table, row));
}

/** Inserts a row and returns it as stored. */
export async function insertReturning<T extends Table>(
  db: Db,
  table: T,
  row: Insertable<Tables[T]>,
): Promise<Row<T>> {
  const [text, values] = insertionOf(table, row);
  const { rows } = await run<Row<T>>(db, `${text} returning *`, values);
  return rows[0]!;
}

/** Inserts a row, unless a unique column already has its value. Returns whether it did. */
export async function insertNewRow<T extends Table>(
  db: Db,
  table: T,
  row: Insertable<Tables[T]>,
): Promise<boolean> {
  const [text, values] = insertionOf(table, row);
  return hasChanged(await run(db, `${text} on conflict do nothing`, values));
}

/** Inserts a row, or replaces the one with the same key but for the columns in `kept`. */
export async function putRow<T extends Table>(
  db: Db,
  table: T,
  row: Insertable<Tables[T]>,
  { key, kept = [] }: { readonly key: Order<T>; readonly kept?: Order<T> },
): Promise<void> {
  const [text, values] = insertionOf(table, row);
  const others = Object.keys(row).filter((name) => !([...key, ...kept] as string[]).includes(name));
  const sets = others.map((name) => `${quoted(name)} = excluded.${quoted(name)}`);
  await run(db, `${text} on conflict (${key.map(quoted)}) do update set ${sets}`, values);
}

export async function findRow<T extends Table>(
  db: Db,
  table: T,
  where: Where<T>,
): Promise<Row<T> | undefined> {
  const [condition, values] = conditionOf(where);
  return (await run<Row<T>>(db, `select * from ${quoted(table)}${condition}`, values)).rows[0];
}

export async function listRows<T extends Table>(
  db: Db,
  table: T,
  where: Where<T>,
  order: Order<T> = [],
): Promise<Row<T>[]> {
  const [condition, values] = conditionOf(where);
  const ordered = order.length === 0 ? '' : ` order by ${order.map(quoted)}`;
  const { rows } = await run<Row<T>>(db, `select * from ${quoted(table)}${condition}${ordered}`, values);
  return rows;
}

export async function countRows<T extends Table>(db: Db, table: T, where: Where<T>): Promise<number> {
  const [condition, values] = conditionOf(where);
  const { rows } = await run<{ count: number }>(
    db,
    `select count(*) as count from ${quoted(table)}${condition}`,
    values,
  );
  return rows[0]!.count;
}

/** Returns whether there was a row to change. */
export async function changeRows<T extends Table>(
  db: Db,
  table: T,
  where: Where<T>,
  change: Change<T>,
): Promise<boolean> {
  const [sets, given] = joined(change, (name) => `${quoted(name)} = +?`);
  if (given.length === 0) return (await findRow(db, table, where)) !== undefined;
  const [condition, values] = conditionOf(where);
  return hasChanged(await run(db, `update ${quoted(table)} set ${sets}${condition}`, [...given, ...values]));
}

/** Returns whether there was a row to delete. */
export async function deleteRows<T extends Table>(db: Db, table: T, where: Where<T>): Promise<boolean> {
  const [condition, values] = conditionOf(where);
  return hasChanged(await run(db, `delete from ${quoted(table)}${condition}`, values));
}

/** Deletes a row and returns it, so that only one caller gets it. */
export async function takeRow<T extends Table>(
  db: Db,
  table: T,
  where: Where<T>,
): Promise<Row<T> | undefined> {
  const [condition, values] = conditionOf(where);
  return (await run<Row<T>>(db, `delete from ${quoted(table)}${condition} returning *`, values)).rows[0];
}

export async function findUnexpired<T extends Expiring>(
  db: Db,
  table: T,
  where: Where<T>,
  nowIso: string,
): Promise<Row<T> | undefined> {
  return unexpired(await findRow(db, table, where), nowIso);
}

/** Like `takeRow`, but a row that has expired is only deleted. */
export async function takeUnexpired<T extends Expiring>(
  db: Db,
  table: T,
  where: Where<T>,
  nowIso: string,
): Promise<Row<T> | undefined> {
  return unexpired(await takeRow(db, table, where), nowIso);
}

function unexpired<R>(row: R | undefined, nowIso: string): R | undefined {
  return row && (row as unknown as { readonly expiresAt: string }).expiresAt > nowIso ? row : undefined;
}

export async function deleteExpired(db: Db, table: Expiring, nowIso: string): Promise<void> {
  await run(db, `delete from ${quoted(table)} where expires_at <= +?`, [nowIso]);
}

/** A part of a statement with its values. The parameters are expressions for the reason given at `SteadyQueryCompiler`. */
type Part = readonly [text: string, values: readonly unknown[]];

function insertionOf(table: Table, row: object): Part {
  const [names, values] = joined(row, quoted);
  return [`insert into ${quoted(table)} (${names}) values (+?${', +?'.repeat(values.length - 1)})`, values];
}

function conditionOf(where: object): Part {
  let text = '';
  const values: unknown[] = [];
  for (const [name, value] of Object.entries(where)) {
    text += text === '' ? ' where ' : ' and ';
    if (Array.isArray(value)) text += `${quoted(name)} in (${value.map(() => '+?')})`;
    else text += value === null ? `${quoted(name)} is null` : `${quoted(name)} = +?`;
    if (Array.isArray(value)) values.push(...value);
    else if (value !== null) values.push(value);
  }
  return [text, values];
}

/** Joins what is written for each column with a value, by commas. */
function joined(row: object, write: (name: string) => string): Part {
  let text = '';
  const values: unknown[] = [];
  for (const [name, value] of Object.entries(row)) {
    if (value === undefined) continue;
    text += values.length === 0 ? write(name) : `, ${write(name)}`;
    values.push(value);
  }
  return [text, values];
}

const quotedNames = new Map<string, string>();

function quoted(name: string): string {
  const known = quotedNames.get(name);
  if (known !== undefined) return known;
  const text = `"${columns.stored(name)}"`;
  quotedNames.set(name, text);
  return text;
}

/** What Kysely notes of a statement besides: the same for all of these. */
const COMPILED = CompiledQuery.raw('');

function run<R>(db: Db, sql: string, parameters: readonly unknown[]): Promise<QueryResult<R>> {
  return db.executeQuery({ ...(COMPILED as CompiledQuery<R>), sql, parameters });
}

function hasChanged({ numAffectedRows = 0n }: QueryResult<unknown>): boolean {
  return numAffectedRows > 0n;
}
