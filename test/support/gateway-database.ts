import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';

/** Rows of a running gateway's database, read as another program would. */
export function readGatewayRows<Row>(dataFolder: string, sql: string, ...values: unknown[]): Row[] {
  const database = new SqliteDatabase(join(dataFolder, 'gateway.db'), { readonly: true });
  try {
    return database.prepare(sql).all(...values) as Row[];
  } finally {
    database.close();
  }
}

/** Changes rows while the gateway is down, as if it had died at another moment. */
export function changeGatewayRows(dataFolder: string, sql: string, ...values: unknown[]): void {
  const database = new SqliteDatabase(join(dataFolder, 'gateway.db'));
  try {
    database.prepare(sql).run(...values);
  } finally {
    database.close();
  }
}
