import type { Compilable, CompiledQuery, QueryResult } from 'kysely';
import type { Db } from './rows.ts';

/** Stands for a parameter while a query is built. */
class Slot {
  readonly name: string | symbol;

  constructor(name: string | symbol) {
    this.name = name;
  }
}

/**
 * A query that is built and compiled when it is first run. Kysely takes longer to build one than SQLite to run most of
 * them, so what runs often and always has the same form should be prepared. `build` passes the parameters on as values,
 * and must not look at them.
 */
export function prepared<Params extends object, Row>(
  build: (db: Db, params: Params) => Compilable<Row>,
): (db: Db, params: Params) => Promise<QueryResult<Row>> {
  let compiled: CompiledQuery<Row> | null = null;
  return async (db, params) => {
    compiled ??= build(db, slots<Params>()).compile();
    const given = (slot: unknown): unknown =>
      slot instanceof Slot ? params[slot.name as keyof Params] : slot;
    return await db.executeQuery({ ...compiled, parameters: compiled.parameters.map(given) });
  };
}

function slots<Params extends object>(): Params {
  return new Proxy({}, { get: (_none, name) => new Slot(name) }) as Params;
}
