import { unreachable } from '../base/assert.ts';
import { KeyedQueue } from '../base/keyed-queue.ts';
import type { Termination } from '../base/termination.ts';
import type { Clock } from '../base/time.ts';
import type { AccountQuota } from '../store/database/account-quota.ts';
import { type Db, findRow, insertRow } from '../store/database/rows.ts';
import { appendCallTurn } from '../store/messages/call-turns.ts';
import {
  type CallRow,
  disconnectLiveCalls,
  endCall,
  type NewCall,
  updateCall,
} from '../store/messages/calls.ts';
import { appendAgentEvent, appendEvent } from '../store/messages/events.ts';
import {
  appendTranscriptLine,
  newestTranscriptLines,
  type StoredLine,
} from '../store/messages/transcript-lines.ts';
import type { Store } from '../store/store.ts';
import { bridgeDisconnected } from './call-error.ts';
import type {
  CallEvent,
  CallSnapshot,
  ChatEvent,
  StateEvent,
  TranscriptEvent,
  TurnEvent,
  UtteranceEvent,
} from './call-event.ts';
import { isFirst } from './call-state.ts';
import { MAX_LINES } from './transcript.ts';

/** Delay before a batch of writes. The caller's 200 goes out first, and writes of many calls share one batch. */
const WRITE_DELAY_MS = 10;

type ToldCall = Pick<CallRow, 'callId' | 'accountId' | 'agentId' | 'platform' | 'state'>;

/** Events that the feed tells as they are. */
type ToldEvent = Extract<
  CallEvent,
  {
    readonly type:
      | 'call_state'
      | 'call_waiting'
      | 'call_progress'
      | 'call_hold'
      | 'call_error'
      | 'call_answered_by'
      | 'beep'
      | 'hold_music';
  }
>;

/** Called when a write fails. The call continues without its record. */
export type RecordFailure = (callId: string, error: unknown) => void;

/**
 * Records calls in the database and on their account's event feed. The writes of one call keep the order of its events.
 * Calls never wait for them.
 */
export class CallRecorder {
  readonly #db: Db;
  readonly #quota: AccountQuota;
  readonly #clock: Clock;
  readonly #onFailure: RecordFailure;
  readonly #onAppended: (accountId: string) => void;
  /** The pending writes of each call. */
  readonly #writes = new KeyedQueue();
  /** The next batch of writes; null while none is scheduled. */
  #turn: { readonly begun: Promise<void>; begin(): void } | null = null;

  /** `onAppended` is called with the id of each account that got a new feed event. */
  constructor(
    { db, quota }: Pick<Store, 'db' | 'quota'>,
    clock: Clock,
    onFailure: RecordFailure,
    onAppended: (accountId: string) => void = () => {},
  ) {
    this.#db = db;
    this.#quota = quota;
    this.#clock = clock;
    this.#onFailure = onFailure;
    this.#onAppended = onAppended;
  }

  /** Throws `storage_full` or TooManyAttempts when an account may not place another call for now. */
  assertMayOpen(accountId: string): void {
    this.#quota.assertMayWrite(accountId);
  }

  /** Stores a new outbound call. Rejects when the write fails. */
  async opened(call: CallSnapshot): Promise<void> {
    await insertRow(this.#db, 'calls', newRow(call));
  }

  /** Stores a new inbound call. */
  rang(call: CallSnapshot): void {
    this.#write(call.callId, () => insertRow(this.#db, 'calls', newRow(call)));
  }

  /** Records an event of a call, if it is one to keep. Its first state is stored with the call. */
  happened(call: CallSnapshot, event: CallEvent): void {
    switch (event.type) {
      case 'call_state':
        return isFirst(event.state) ? undefined : this.#stateChanged(call, event);
      case 'call_invite':
        return this.#write(call.callId, () => this.#append(call, event.type, inviteOf(call)));
      case 'call_waiting':
      case 'call_progress':
      case 'call_hold':
      case 'call_error':
      case 'call_answered_by':
      case 'beep':
      case 'hold_music':
        return this.#write(call.callId, () => this.#tell(call, event));
      case 'call_chat':
        return this.#write(call.callId, () => this.#append(call, event.type, chatOf(call, event)));
      case 'call_capabilities':
        return this.#write(call.callId, () =>
          updateCall(this.#db, call.callId, { capabilities: event.capabilities }),
        );
      case 'call_meeting':
        return this.#write(call.callId, () =>
          updateCall(this.#db, call.callId, { meetingUrl: event.meeting_url }),
        );
      case 'call_transcript':
        return this.#transcribed(call, event);
      case 'utterance':
        return this.#utterance(call, event);
      case 'turn_metrics':
        return this.#turned(call, event);
      case 'call_participants':
      case 'call_speaking':
      case 'speech':
      case 'speech_unheard':
      case 'end_of_turn':
      case 'dtmf':
        return;
      default:
        return unreachable(event);
    }
  }

  #stateChanged(call: CallSnapshot, event: StateEvent): void {
    const { state, termination } = event;
    const nowIso = this.#clock.nowIso();
    this.#write(call.callId, async () => {
      if (termination) {
        await endCall(this.#db, call.callId, { state, endedAt: call.endedAt ?? nowIso, termination });
      } else {
        await updateCall(this.#db, call.callId, { state, answeredAt: nowIso });
      }
      await this.#tell(call, event);
    });
  }

  #transcribed(call: CallSnapshot, { type, speaker, text }: TranscriptEvent): void {
    const line = { callId: call.callId, speaker, text, createdAt: this.#clock.nowIso() };
    this.#write(call.callId, async () => {
      if (!this.#quota.hasReserve(call.accountId)) return;
      await appendTranscriptLine(this.#db, line);
      await this.#append(call, type, { call_id: call.callId, state: call.state, speaker, text });
    });
    // Somebody waits for an answer to it.
    this.#turn?.begin();
  }

  #turned(call: CallSnapshot, { type, ...metrics }: TurnEvent): void {
    const turn = { callId: call.callId, metrics, createdAt: this.#clock.nowIso() };
    this.#write(call.callId, async () => {
      if (!this.#quota.hasReserve(call.accountId)) return;
      await appendCallTurn(this.#db, turn);
      await this.#append(call, type, { call_id: call.callId, ...metrics });
    });
  }

  /** The feed tells how an utterance ended. Its start would only wake whoever waits for the feed. */
  #utterance(call: CallSnapshot, event: UtteranceEvent): void {
    if (event.state === 'started') return;
    this.#write(call.callId, () => this.#append(call, event.type, utteranceOf(call, event)));
  }

  /** Resolves once the pending writes of a call are done. */
  async written(callId: string): Promise<void> {
    await this.#writes.settled(callId);
  }

  /** Returns the stored call once its pending writes are done. */
  async find(callId: string): Promise<CallRow | undefined> {
    this.#turn?.begin();
    await this.#writes.settled(callId);
    return findRow(this.#db, 'calls', { callId });
  }

  /** Returns the newest lines of a stored transcript, once the call's pending writes are done. */
  async transcript(callId: string): Promise<StoredLine[]> {
    this.#turn?.begin();
    await this.#writes.settled(callId);
    return newestTranscriptLines(this.#db, callId, MAX_LINES);
  }

  /**
   * Marks calls that an earlier process left live as disconnected and appends their events to the feed. Returns the
   * number of calls.
   */
  async disconnectAll(): Promise<number> {
    const calls = await disconnectLiveCalls(this.#db, this.#clock.nowIso());
    for (const call of calls) {
      const { state } = call;
      const termination = terminationOf(call);
      if (termination === null) continue;
      await this.#tell(call, bridgeDisconnected(termination));
      await this.#tell(call, { type: 'call_state', state, termination });
    }
    return calls.length;
  }

  /** Resolves when all pending writes are done. */
  async settled(): Promise<void> {
    while (this.#writes.size > 0) {
      this.#turn?.begin();
      await this.#writes.settled();
    }
  }

  #write(callId: string, action: () => Promise<unknown>): void {
    const turn = this.#nextTurn();
    this.#writes
      .run(callId, () => turn.then(action))
      .catch((error: unknown) => this.#onFailure(callId, error));
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

  /** Appends a call event to the account's feed, in the feed's format. */
  async #tell(call: ToldCall, event: ToldEvent): Promise<void> {
    const { callId: call_id, state } = call;
    const { type, ...payload } = event;
    await this.#append(call, type, { call_id, state, ...payload });
  }

  async #append(
    call: Omit<ToldCall, 'callId' | 'state'>,
    type: string,
    payload: Record<string, unknown>,
  ): Promise<void> {
    const { accountId, agentId, platform } = call;
    if (!this.#quota.hasReserve(accountId)) return;
    const event = { accountId, platform, type, payload, createdAt: this.#clock.nowIso() };
    // The agent may already be deleted when the last events of its call arrive.
    if (agentId === null) await appendEvent(this.#db, { ...event, agentId });
    else await appendAgentEvent(this.#db, { ...event, agentId });
    this.#onAppended(accountId);
  }
}

function newRow(call: CallSnapshot): NewCall {
  const { participants: _participants, waitingReason: _waiting, ...known } = call;
  const { progress: _progress, onHold: _onHold, sipHeaders: _headers, ...whole } = known;
  const { endedAt: _endedAt, termination: _termination, ...row } = whole;
  return row;
}

/** Returns why a stored call ended; null while it is live. */
export function terminationOf({ terminationResult, terminationReason }: CallRow): Termination | null {
  return terminationResult && { result: terminationResult, reason: terminationReason ?? '' };
}

/** Files are kept by their id. Their addresses are secrets, added when the feed is read. */
function chatOf(
  { callId, state }: CallSnapshot,
  { sender, text, sentAt, files }: ChatEvent,
): Record<string, unknown> {
  const file_ids = files.map(({ fileId }) => fileId);
  const message = { call_id: callId, state, sender, text, sent_at: sentAt };
  return file_ids.length === 0 ? message : { ...message, file_ids };
}

/** `state` is that of the utterance. */
function utteranceOf({ callId }: CallSnapshot, event: UtteranceEvent): Record<string, unknown> {
  const { utteranceId, state, playedMs, spokenText, isEstimate } = event;
  return {
    call_id: callId,
    utterance_id: utteranceId,
    state,
    played_ms: playedMs,
    spoken_text: spokenText,
    estimated: isEstimate,
  };
}

function inviteOf(call: CallSnapshot): Record<string, unknown> {
  return {
    call_id: call.callId,
    platform: call.platform,
    state: call.state,
    caller: call.caller,
    meeting_url: call.meetingUrl,
    agent_name: call.agentName,
    ...(Object.keys(call.sipHeaders).length > 0 && { sip_headers: call.sipHeaders }),
  };
}
