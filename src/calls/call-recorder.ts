import type { Clock } from '../base/time.ts';
import { disconnectLiveCalls, endCall, findCall, insertCall, updateCallState } from '../store/calls.ts';
import { appendAgentEvent, appendEvent } from '../store/events.ts';
import type { CallRow, Db } from '../store/tables.ts';
import type { CallSnapshot } from './call.ts';
import { type CallState, isOver } from './call-state.ts';

/** Writes wait for so long: the caller's 200 goes out first, and what many calls do meanwhile is written in one turn. */
const WRITE_DELAY_MS = 10;

/** Told when a write fails: the call lives on without its record. */
export type RecordFailure = (callId: string, error: unknown) => void;

/**
 * Follows calls into the database and onto their account's event feed. What happens to one call is written in the
 * order in which it happened; nobody on the call waits for it.
 */
export class CallRecorder {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #onFailure: RecordFailure;
  readonly #onAppended: (accountId: string) => void;
  /** The last write of each call that has writes under way. */
  readonly #tails = new Map<string, Promise<void>>();
  /** The next turn of writing, once somebody waits for it. */
  #turn: { readonly begun: Promise<void>; begin(): void } | null = null;

  /** `onAppended` hears of every account whose feed has something new. */
  constructor(
    db: Db,
    clock: Clock,
    onFailure: RecordFailure,
    onAppended: (accountId: string) => void = () => {},
  ) {
    this.#db = db;
    this.#clock = clock;
    this.#onFailure = onFailure;
    this.#onAppended = onAppended;
  }

  /** Stores a new outbound call; resolves when it is stored, rejects when it cannot be. */
  async opened(call: CallSnapshot): Promise<void> {
    await insertCall(this.#db, newRow(call));
  }

  /** Stores a new inbound call and, unless it answers itself, invites the agent on the feed. */
  rang(call: CallSnapshot, autoAnswer: boolean): void {
    this.#write(call.callId, async () => {
      await insertCall(this.#db, newRow(call));
      if (!autoAnswer) await this.#append(call, 'call_invite', inviteOf(call));
    });
  }

  /** Follows a change of state. */
  changed(call: CallSnapshot, state: CallState): void {
    const nowIso = this.#clock.nowIso();
    this.#write(call.callId, async () => {
      if (isOver(state)) {
        const end = { state: state.name, endedAt: call.endedAt ?? nowIso, termination: state.termination };
        await endCall(this.#db, call.callId, end);
      } else {
        await updateCallState(this.#db, call.callId, { state: state.name, answeredAt: nowIso });
      }
      await this.#append(call, 'call_state', { call_id: call.callId, state: state.name });
    });
  }

  /** The call as it is stored, after all that was told of it. */
  async find(callId: string): Promise<CallRow | undefined> {
    this.#turn?.begin();
    await this.#tails.get(callId);
    return findCall(this.#db, callId);
  }

  /** Marks what an earlier process left live as disconnected, and says so; returns how many calls. */
  async disconnectAll(): Promise<number> {
    const calls = await disconnectLiveCalls(this.#db, this.#clock.nowIso());
    for (const call of calls) {
      await this.#append(call, 'call_state', { call_id: call.callId, state: call.state });
    }
    return calls.length;
  }

  /** Resolves when everything told so far is written. */
  async settled(): Promise<void> {
    while (this.#tails.size > 0) {
      this.#turn?.begin();
      await Promise.all(this.#tails.values());
    }
  }

  #write(callId: string, action: () => Promise<void>): void {
    const former = this.#tails.get(callId) ?? Promise.resolve();
    const tail = Promise.all([former, this.#nextTurn()])
      .then(action)
      .catch((error: unknown) => this.#onFailure(callId, error))
      .finally(() => {
        if (this.#tails.get(callId) === tail) this.#tails.delete(callId);
      });
    this.#tails.set(callId, tail);
  }

  #nextTurn(): Promise<void> {
    if (this.#turn !== null) return this.#turn.begun;
    const { promise, resolve } = Promise.withResolvers<void>();
    const begin = (): void => {
      clearTimeout(timer);
      this.#turn = null;
      resolve();
    };
    const timer = setTimeout(begin, WRITE_DELAY_MS);
    this.#turn = { begun: promise, begin };
    return promise;
  }

  async #append(
    call: Pick<CallRow, 'accountId' | 'agentId' | 'platform'>,
    type: string,
    payload: Record<string, unknown>,
  ): Promise<void> {
    const { accountId, agentId, platform } = call;
    const event = { accountId, platform, type, payload, createdAt: this.#clock.nowIso() };
    // The last words of a call may come when its agent is gone already.
    if (agentId === null) await appendEvent(this.#db, { ...event, agentId });
    else await appendAgentEvent(this.#db, { ...event, agentId });
    this.#onAppended(accountId);
  }
}

function newRow(call: CallSnapshot): Parameters<typeof insertCall>[1] {
  const { capabilities: _capabilities, endedAt: _endedAt, ...row } = call;
  return row;
}

function inviteOf(call: CallSnapshot): Record<string, unknown> {
  return {
    call_id: call.callId,
    platform: call.platform,
    state: call.state,
    caller: call.caller,
    meeting_url: call.meetingUrl,
    agent_name: call.agentName,
  };
}
