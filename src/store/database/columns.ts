import {
  CamelCasePlugin,
  type PluginTransformQueryArgs,
  type RootOperationNode,
  type Selectable,
  type UnknownRow,
} from 'kysely';
import type { Tables } from './tables.ts';

type CodedOf<Row> = {
  [Column in keyof Row]-?: Row[Column] extends string | number | null ? never : Column;
}[keyof Row];

/** The columns of all tables with values that SQLite has no type for. */
type CodedColumn = { [Table in keyof Tables]: CodedOf<Selectable<Tables[Table]>> }[keyof Tables];
type PlainColumn = {
  [Table in keyof Tables]: Exclude<keyof Tables[Table], CodedOf<Selectable<Tables[Table]>>>;
}[keyof Tables];

const bit = (stored: unknown): boolean => stored === 1;
const json = (stored: unknown): unknown => JSON.parse(stored as string);
const set = (stored: unknown): ReadonlySet<unknown> => new Set(JSON.parse(stored as string));

type Decode = typeof bit | typeof json | typeof set;

/**
 * How the values of these columns are read. The columns of one name are read alike in all tables: this does not compile
 * while one is missing, or is a text in another table.
 */
const DECODED: Readonly<
  Record<CodedColumn | 'isAttached', Decode> & Record<PlainColumn & CodedColumn, never>
> = {
  autoAnswer: bit,
  behindNat: bit,
  callsTo: json,
  capabilities: json,
  choices: json,
  config: json,
  detail: json,
  enabled: bit,
  eventFilter: json,
  isAttached: bit,
  isDefault: bit,
  liveReplies: bit,
  kept: json,
  limits: json,
  memory: json,
  metrics: json,
  narrowedTo: set,
  newConversations: bit,
  options: json,
  payload: json,
  platforms: set,
  readingTools: json,
  redirectUris: json,
  register: bit,
  replyTo: json,
  turnMetrics: json,
};

/** Returns the values as SQLite stores them. */
export function storedValues(values: readonly unknown[]): readonly unknown[] {
  return values.some(isCoded) ? values.map(stored) : values;
}

function isCoded(value: unknown): boolean {
  return typeof value === 'boolean' || (typeof value === 'object' && value !== null);
}

function stored(value: unknown): unknown {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value instanceof Set) return JSON.stringify([...value]);
  return isCoded(value) ? JSON.stringify(value) : value;
}

interface Column {
  readonly name: string;
  readonly decode: Decode | undefined;
}

/**
 * Names are snake_case in the database and camelCase in TypeScript. Kysely's plugin copies every query to change its
 * names, which takes as long as compiling it. Here the compiler writes the names of the database.
 */
class Columns extends CamelCasePlugin {
  readonly #byStoredName = new Map<string, Column>();

  override transformQuery({ node }: PluginTransformQueryArgs): RootOperationNode {
    return node;
  }

  /** Returns a name as the database has it. */
  stored(name: string): string {
    return this.snakeCase(name);
  }

  protected override mapRow(row: UnknownRow): UnknownRow {
    const mapped: UnknownRow = {};
    for (const storedName of Object.keys(row)) {
      const { name, decode } = this.#column(storedName);
      const value = row[storedName];
      mapped[name] = decode === undefined || value === null ? value : decode(value);
    }
    return mapped;
  }

  #column(storedName: string): Column {
    const known = this.#byStoredName.get(storedName);
    if (known) return known;
    const name = this.camelCase(storedName);
    const column = { name, decode: (DECODED as Readonly<Record<string, Decode>>)[name] };
    this.#byStoredName.set(storedName, column);
    return column;
  }
}

export const columns = new Columns();

/** The columns that hold JSON, by their names in the database. */
export const JSON_COLUMNS: ReadonlySet<string> = new Set(
  Object.entries(DECODED)
    .filter(([, decode]) => decode !== bit)
    .map(([name]) => columns.stored(name)),
);
