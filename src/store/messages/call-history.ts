import { type RawBuilder, sql } from 'kysely';
import type { Platform } from '../../base/platform.ts';
import type { TerminationResult } from '../../base/termination.ts';
import { deleteOldest } from '../database/delete-some.ts';
import type { Db, Row } from '../database/rows.ts';
import type { CallRow } from './calls.ts';

/** A search examines this many calls and their transcripts for a page. */
const EXAMINED = 500;
/** Whose transcripts are looked for in one query, and how many lines, of at most 10,000 characters: some milliseconds. */
const SEARCHED = { calls: 50, lines: 100 } as const;

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
  /** Part of the caller, of the address or of what was said, not case-sensitive; '' for all. */
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
  const ids = await idsWith(db, all, search);
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

/**
 * Returns the ids of the calls that a text occurs in. It is looked for here and not by SQLite, which takes the length of a
 * text times that of what is searched.
 */
async function idsWith(db: Db, calls: readonly CallRow[], search: string): Promise<Set<string>> {
  const wanted = search.toLowerCase();
  const has = (text: string): boolean => text.toLowerCase().includes(wanted);
  const isNamed = ({ caller, meetingUrl, agentName }: CallRow) => [caller, meetingUrl, agentName].some(has);
  const found = new Set(calls.filter(isNamed).map(({ callId }) => callId));
  const ids = calls
    .map(({ callId }) => callId)
    .filter((id) => !found.has(id))
    .sort();
  while (ids.length > 0) await addSaid(db, ids.splice(0, SEARCHED.calls), has, found);
  return found;
}

/** Adds those of the calls to `found` in which such a text was said. `ids` are sorted. */
async function addSaid(
  db: Db,
  ids: readonly string[],
  has: (text: string) => boolean,
  found: Set<string>,
): Promise<void> {
  for (let rest = ids, position = -1; rest.length > 0; ) {
    // Once some lines of the first one were looked at, it is finished by itself.
    const some = position < 0 ? rest : rest.slice(0, 1);
    const lines = await linesOf(db, some, position);
    for (const { callId, text } of lines) if (!found.has(callId) && has(text)) found.add(callId);
    const last = lines.length < SEARCHED.lines ? null : lines.at(-1)!;
    const isFinished = last === null || found.has(last.callId);
    const end = last?.callId ?? some.at(-1)!;
    rest = rest.filter((id) => (isFinished ? id > end : id >= end));
    position = isFinished ? -1 : last.position;
  }
}

/** The next lines of calls. */
async function linesOf(db: Db, callIds: readonly string[], position: number) {
  return await db
    .selectFrom('transcriptLines')
    .select(['callId', 'position', 'text'])
    .where('callId', 'in', callIds)
    .where('position', '>', position)
    .orderBy('callId')
    .orderBy('position')
    .limit(SEARCHED.lines)
    .execute();
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
