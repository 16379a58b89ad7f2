import { GatewayError } from '../base/errors.ts';
import type { Platform } from '../base/platform.ts';
import { type AgentScope, reaches } from '../base/scope.ts';
import { type Db, findRow } from '../store/database/rows.ts';
import {
  endedCalls,
  type HistoryFilter,
  type HistoryPage,
  type PastLine,
  transcriptFrom,
} from '../store/messages/call-history.ts';
import { type CallTurn, turnsOf } from '../store/messages/call-turns.ts';
import type { CallRow } from '../store/messages/calls.ts';

/** Lines of a transcript in one answer. */
const MOST_LINES = 2_000;

/** Whose calls are read. A person sees those of deleted agents, too. */
export interface HistoryReader extends AgentScope {
  readonly isPerson: boolean;
}

/** What is asked for, beside the reader. */
export type HistoryQuery = Pick<HistoryFilter, 'result' | 'search' | 'after' | 'limit'> & {
  /** Null: all that the reader may see. */
  readonly platform: Platform | null;
};

/** Returns a page of the reader's ended calls, newest first. */
export async function listPastCalls(
  db: Db,
  reader: HistoryReader,
  { platform, ...query }: HistoryQuery,
): Promise<HistoryPage> {
  const { accountId, agentIds, isPerson } = reader;
  const granted = reader.platforms === null ? null : [...reader.platforms];
  const platforms = platform === null ? granted : [platform].filter((each) => reaches(reader, each));
  return await endedCalls(db, { ...query, accountId, agentIds, platforms, withAgentless: isPerson });
}

/** An ended call, with lines of its transcript. */
export interface PastCall {
  readonly call: CallRow;
  readonly lines: readonly PastLine[];
  /** Position of the line after them; null: there is none. */
  readonly nextLine: number | null;
  readonly turns: readonly CallTurn[];
}

/**
 * Returns an ended call with its transcript from a line on.
 * @throws GatewayError `call_not_found`, also while the call is live
 */
export async function pastCall(
  db: Db,
  reader: HistoryReader,
  callId: string,
  fromLine: number,
): Promise<PastCall> {
  const call = await findRow(db, 'calls', { callId });
  if (!call || call.endedAt === null || !isReadable(reader, call)) throw new GatewayError('call_not_found');
  const lines = await transcriptFrom(db, callId, fromLine, MOST_LINES);
  const nextLine = lines.length < MOST_LINES ? null : lines.at(-1)!.position + 1;
  return { call, lines, nextLine, turns: await turnsOf(db, callId) };
}

function isReadable(reader: HistoryReader, { accountId, agentId, platform }: CallRow): boolean {
  if (accountId !== reader.accountId || !reaches(reader, platform)) return false;
  return agentId === null ? reader.isPerson : reader.agentIds.includes(agentId);
}
