import type { KyselyPlugin } from 'kysely';
import type { Store } from '../../../src/store/store.ts';

/** A store that counts the statements for which it is used, without those that begin and end transactions. */
export function countedStore(store: Store): { readonly store: Store; readonly count: () => number } {
  let count = 0;
  const counting: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    // Of each run; prepared queries are built once.
    transformResult: async ({ result }) => {
      count += 1;
      return result;
    },
  };
  const db = store.db.withPlugin(counting);
  return { store: Object.create(store, { db: { value: db } }), count: () => count };
}
