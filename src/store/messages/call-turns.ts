import { sql } from 'kysely';
import type { Db, Row } from '../database/rows.ts';

/** Turns kept of a call. Later ones are in the feed and the metrics only. */
const MAX_TURNS = 500;

/** How long the far end of a call waited for an answer. `metrics` is the event's. */
export type CallTurn = Pick<Row<'callTurns'>, 'metrics' | 'createdAt'>;

/** Appends a turn to a call's record. Does nothing if the call is gone, or has the maximum. */
export async function appendCallTurn(
  db: Db,
  { callId, metrics, createdAt }: CallTurn & { readonly callId: string },
): Promise<void> {
  const position = sql<number>`(select count(*) from call_turns where call_id = ${callId})`;
  await db
    .insertInto('callTurns')
    .columns(['callId', 'position', 'accountId', 'metrics', 'createdAt'])
    .expression((query) =>
      query
        .selectFrom('calls')
        .select(({ val }) => [
          'callId',
          position.as('position'),
          'accountId',
          sql<CallTurn['metrics']>`${JSON.stringify(metrics)}`.as('metrics'),
          val(createdAt).as('createdAt'),
        ])
        .where('callId', '=', callId)
        .where(position, '<', MAX_TURNS),
    )
    .execute();
}

/** Returns the turns of a call, oldest first. */
export async function turnsOf(db: Db, callId: string): Promise<CallTurn[]> {
  return await db
    .selectFrom('callTurns')
    .select(['metrics', 'createdAt'])
    .where('callId', '=', callId)
    .orderBy('position')
    .execute();
}
