import { type RawBuilder, sql } from 'kysely';
import type { Platform } from '../../base/platform.ts';
import type { TerminationResult } from '../../base/termination.ts';
import { deleteOldest } from '../database/delete-some.ts';
import type { Db, Row } from '../database/rows.ts';
import type { CallRow } from './calls.ts';

/** A search examines this many calls and their transcripts at a time, which takes some 10 ms of the main thread. */
const EXAMINED = 500;

/** The position after a call, among those of an account from the newest to the oldest. */
export interface HistoryPosition {
  readonly createdAt: string;
  readonly callId: string;
}

/** Which of an account's ended calls are wanted. */
export interface HistoryFilter {
  readonly accountId: string;
  readonly agentIds: readonly string[];
  /** Whether calls of deleted agents count, too. */
  readonly withAgentless: boolean;
  /** Null: all. */
  readonly platforms: readonly Platform[] | null;
  readonly result: TerminationResult | null;
  /** Part of the caller, of the address or of what was said, not case-sensitive for ASCII; '' for all. */
  readonly search: string;
  /** Null: from the newest on. */
  readonly after: HistoryPosition | null;
  readonly limit: number;
}

export interface HistoryPage {
  /** Newest first. */
  readonly calls: readonly CallRow[];
  /** Where the next page begins; null: there is none. A page of a search may have no call, and yet a next one. */
  readonly next: HistoryPosition | null;
}

/** Returns ended calls from a position on. */
export async function endedCalls(db: Db, filter: HistoryFilter): Promise<HistoryPage> {
  const { accountId, platforms, result, search, after, limit } = filter;
  // Without a search, all that is examined is returned.
  const examined = search === '' ? limit : EXAMINED;
  let seen = db
    .selectFrom('calls')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('endedAt', 'is not', null)
    .where(agentIn(filter))
    .orderBy('createdAt', 'desc')
    .orderBy(sql`rowid`, 'desc')
    .limit(examined);
  if (platforms !== null) seen = seen.where('platform', 'in', platforms);
  if (result !== null) seen = seen.where('terminationResult', '=', result);
  if (after !== null) seen = seen.where(isBehind(after));
  const all = await seen.execute();
  // The last one examined says where to go on.
  const rest = all.length < examined ? null : positionOf(all.at(-1)!);
  if (search === '') return { calls: all, next: rest };
  const ids = new Set(await idsWith(db, all, search));
  const found = all.filter(({ callId }) => ids.has(callId));
  return found.length > limit
    ? { calls: found.slice(0, limit), next: positionOf(found[limit - 1]!) }
    : { calls: found, next: rest };
}

function positionOf({ createdAt, callId }: CallRow): HistoryPosition {
  return { createdAt, callId };
}

function agentIn({ agentIds, withAgentless }: HistoryFilter): RawBuilder<boolean> {
  const known =
    agentIds.length === 0 ? sql<boolean>`false` : sql<boolean>`agent_id in (${sql.join(agentIds)})`;
  return withAgentless ? sql<boolean>`(agent_id is null or ${known})` : known;
}

/** The call may be gone: then its time alone counts. */
function isBehind({ createdAt, callId }: HistoryPosition): RawBuilder<boolean> {
  return sql<boolean>`(created_at, rowid) < (${createdAt}, coalesce(
    (select rowid from calls as last where last.call_id = ${callId}), 0))`;
}

/** Returns the ids of the calls that a text occurs in. */
async function idsWith(db: Db, calls: readonly CallRow[], search: string): Promise<string[]> {
  if (calls.length === 0) return [];
  const pattern = `%${search.replace(/[\\%_]/g, '\\$&')}%`;
  const has = (column: string) => sql<boolean>`${sql.ref(column)} like ${pattern} escape '\\'`;
  const found = await db
    .selectFrom('calls')
    .select('callId')
    .where(
      'callId',
      'in',
      calls.map(({ callId }) => callId),
    )
    .where(({ or, exists, selectFrom }) =>
      or([
        has('caller'),
        has('meeting_url'),
        has('agent_name'),
        exists(
          selectFrom('transcriptLines')
            .select('position')
            .whereRef('transcriptLines.callId', '=', 'calls.callId')
            .where(has('transcript_lines.text')),
        ),
      ]),
    )
    .execute();
  return found.map(({ callId }) => callId);
}

/** A line of the transcript of an ended call. */
export type PastLine = Pick<Row<'transcriptLines'>, 'position' | 'speaker' | 'text' | 'createdAt'>;

/** Returns lines of a transcript, oldest first, from a position on. */
export async function transcriptFrom(
  db: Db,
  callId: string,
  position: number,
  limit: number,
): Promise<PastLine[]> {
  return await db
    .selectFrom('transcriptLines')
    .select(['position', 'speaker', 'text', 'createdAt'])
    .where('callId', '=', callId)
    .where('position', '>=', position)
    .orderBy('position')
    .limit(limit)
    .execute();
}

/** A call takes its transcript along, which may have thousands of lines. */
const CALLS_AT_ONCE = 10;

/** Deletes some of the oldest ended calls that began before a time. Returns their number. */
export async function deleteOldestCalls(db: Db, before: string): Promise<number> {
  const oldest = { table: 'calls', key: 'rowid', condition: sql`ended_at is not null` };
  return await deleteOldest(db, oldest, before, CALLS_AT_ONCE);
}
