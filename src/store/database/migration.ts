/** One schema step. Its position in the list of `migrate.ts` is its number; released steps never change or move. */
export interface Migration {
  readonly name: string;
  readonly statements: readonly string[];
}
