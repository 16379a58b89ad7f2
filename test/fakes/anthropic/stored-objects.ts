import { apiError, notFound } from './anthropic-errors.ts';

/** An agent, an environment, a vault or a credential as Anthropic shows it. */
export interface StoredObject {
  readonly id: string;
  archived_at: string | null;
  readonly [field: string]: unknown;
}

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;

let count = 0;

export function newId(prefix: string): string {
  count += 1;
  return `${prefix}_fake${String(count).padStart(8, '0')}`;
}

export function nowIso(): string {
  return new Date().toISOString();
}

/** Objects of one kind, the newest first. */
export class StoredObjects {
  readonly all: StoredObject[] = [];
  readonly #type: string;
  readonly #prefix: string;

  constructor(type: string, prefix: string) {
    this.#type = type;
    this.#prefix = prefix;
  }

  add(fields: object): StoredObject {
    const at = nowIso();
    const object = {
      id: newId(this.#prefix),
      type: this.#type,
      metadata: {},
      ...fields,
      archived_at: null,
      created_at: at,
      updated_at: at,
    };
    this.all.unshift(object);
    return object;
  }

  get(id: string): StoredObject {
    const object = this.all.find((known) => known.id === id);
    if (!object) throw notFound(this.#type);
    return object;
  }

  delete(id: string): object {
    this.all.splice(this.all.indexOf(this.get(id)), 1);
    return { id, type: `${this.#type}_deleted` };
  }

  page(query: URLSearchParams): object {
    const isWanted = query.get('include_archived') === 'true';
    return pageOf(
      this.all.filter((object) => isWanted || object.archived_at === null),
      query,
      ['include_archived'],
    );
  }
}

/** A page of a list. Throws when the query has parameters other than these and those of all lists. */
export function pageOf(
  all: readonly object[],
  query: URLSearchParams,
  parameters: readonly string[] = [],
): object {
  const known = ['limit', 'page', ...parameters];
  const unknown = [...query.keys()].find((name) => !known.includes(name));
  if (unknown !== undefined) throw apiError(400, `${unknown}: Extra inputs are not permitted`);
  const limit = Number(query.get('limit') ?? DEFAULT_LIMIT);
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
    throw apiError(400, `limit: must be between 1 and ${MAX_LIMIT}`);
  }
  const start = Number((query.get('page') ?? 'page_0').replace('page_', ''));
  if (!Number.isInteger(start)) throw apiError(400, 'page: invalid cursor');
  const end = start + limit;
  return { data: all.slice(start, end), next_page: end < all.length ? `page_${end}` : null };
}
