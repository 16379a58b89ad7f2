import {
  CamelCasePlugin,
  type PluginTransformQueryArgs,
  type RootOperationNode,
  type UnknownRow,
} from 'kysely';

/**
 * Names are snake_case in the database and camelCase in TypeScript. Kysely's plugin copies every query to change its
 * names, which takes as long as compiling it. Here the compiler writes the names of the database.
 */
class ColumnNames extends CamelCasePlugin {
  override transformQuery({ node }: PluginTransformQueryArgs): RootOperationNode {
    return node;
  }

  /** Returns a name as the database has it. */
  stored(name: string): string {
    return this.snakeCase(name);
  }

  /** Values are texts, numbers and bytes, without names within. */
  protected override mapRow(row: UnknownRow): UnknownRow {
    const named: UnknownRow = {};
    for (const name of Object.keys(row)) named[this.camelCase(name)] = row[name];
    return named;
  }
}

export const columnNames = new ColumnNames();
