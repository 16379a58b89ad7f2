import { type Clock, pause, withDeadline } from '../../base/time.ts';
import type { JsonApi } from '../http/json-api.ts';
import type { ModelClient, ModelTurn } from '../model-client.ts';
import { isFault, isTemporary, ModelFault, unlessGone } from '../model-fault.ts';
import { conversationOf, forgottenConversation, memoryOf } from '../provider-conversation.ts';
import type { Answerer } from '../provider-fields.ts';
import { choices, probe } from './anthropic-choices.ts';
import { GatewayObjects } from './gateway-objects.ts';
import { type SessionEvent, SessionEvents, userMessage } from './session-events.ts';
import { isGone, Sessions } from './sessions.ts';
import { TurnProgress, type TurnState } from './turn-progress.ts';

const INTERRUPT = { type: 'user.interrupt' };
const INTERRUPT_MS = 5_000;
const NEVER = new AbortController().signal;

/** Until a session that has just stopped can be deleted. */
const DELETE_MS = 2_000;
const DELETE_AGAIN_MS = 200;

export interface AnthropicClientOptions {
  readonly api: JsonApi;
  readonly clock: Clock;
  readonly answerer: Answerer;
}

/**
 * Managed Agents: a session keeps each conversation. https://platform.claude.com/docs/en/managed-agents
 *
 * Events of a session are queued, so an interruption goes before the turn after it, and a turn that was sent is never lost
 * by a broken stream.
 */
export function anthropicClient({ api, clock, answerer }: AnthropicClientOptions): ModelClient {
  const objects = new GatewayObjects(api, clock);
  const sessions = new Sessions(api, objects, answerer);
  /** Interruptions on their way, by session. */
  const interruptions = new Map<string, Promise<void>>();
  /** Does its best: a turn that cannot be interrupted ends by itself. */
  const interrupt = async (session: string): Promise<void> => {
    const send = (limit: AbortSignal) => new SessionEvents(api, session, limit).send([INTERRUPT]);
    await withDeadline(clock, INTERRUPT_MS, NEVER, send).catch(() => {});
  };
  /** An aborted turn would go on at Anthropic. */
  const startInterruption = (session: string): void => {
    const interruption = interrupt(session).then(() => {
      if (interruptions.get(session) === interruption) interruptions.delete(session);
    });
    interruptions.set(session, interruption);
  };
  return {
    probe: (signal) => probe(api, answerer, signal),
    browse: (signal) => choices(api, signal),
    async turn(turn, observer) {
      const known = conversationOf(turn);
      const session = known ?? (await sessions.create(turn));
      const memory = memoryOf(session, turn);
      if (known === null) observer.memoryChanged(memory);
      const progress = new TurnProgress(api, turn, (part) => observer.text(part));
      await follow(api, session, turn, async (events) => {
        const [live] = await Promise.all([events.open(), interruptions.get(session)]);
        try {
          await events.send([userMessage(turn, known === null)]);
          const fault = await complete(live, progress, events);
          if (fault) throw fault;
        } catch (error) {
          if (turn.signal.aborted) startInterruption(session);
          throw error;
        }
      });
      return { ...progress.reply, memory };
    },
    async reconcile(turn) {
      const session = conversationOf(turn);
      if (session === null) return { kind: 'absent' };
      const progress = new TurnProgress(api, turn, () => {});
      const end = await follow(api, session, turn, (events) => catchUp(events, turn.marker, progress));
      if (end === 'absent') return { kind: 'absent' };
      if (end && !isTemporary(end)) throw end;
      const { reply } = progress;
      if (end || reply.text === '') return { kind: 'unanswered' };
      return { kind: 'answered', reply: { ...reply, memory: memoryOf(session, turn) } };
    },
    async forget(memory, signal) {
      const session = forgottenConversation(memory);
      if (session === null) return;
      await withDeadline(clock, DELETE_MS, signal, async (limit) => {
        while (!(await isDeleted(api, session, signal, limit))) {
          await interrupt(session);
          await pause(clock, DELETE_AGAIN_MS, limit);
        }
      });
    },
    async forgetTools(digest, signal) {
      await unlessGone(objects.deleteVault(digest, signal));
    },
  };
}

/** Runs `use` with the events of a session. Closes the stream afterwards, which has no end of its own. */
async function follow<Result>(
  api: JsonApi,
  session: string,
  { signal }: ModelTurn,
  use: (events: SessionEvents) => Promise<Result>,
): Promise<Result> {
  const end = new AbortController();
  try {
    return await use(new SessionEvents(api, session, AbortSignal.any([signal, end.signal])));
  } catch (fault) {
    throw isGone(fault) ? new ModelFault('lost_memory', { words: fault.message }, { cause: fault }) : fault;
  } finally {
    end.abort();
  }
}

/**
 * Deletes a session. Returns false while it is running, for which Anthropic also takes one that has just stopped.
 */
async function isDeleted(
  api: JsonApi,
  session: string,
  signal: AbortSignal,
  limit: AbortSignal,
): Promise<boolean> {
  const path = `/v1/sessions/${encodeURIComponent(session)}`;
  try {
    await unlessGone(api.tell({ method: 'DELETE', path, signal }));
    return true;
  } catch (fault) {
    if (!isFault(fault, 'bad_request') || limit.aborted) throw fault;
    return false;
  }
}

/** Takes events until the turn is over. Resolves with the fault that ended it; null: none. */
async function complete(
  live: AsyncIterable<SessionEvent>,
  progress: TurnProgress,
  events: SessionEvents,
): Promise<ModelFault | null> {
  for await (const event of live) {
    const state = progress.take(event);
    if (state === 'over') return null;
    if (state instanceof ModelFault) return state;
    if (state !== 'running' && state.asks.length > 0) await events.deny(state.asks);
  }
  throw new ModelFault('cut', { words: 'the stream ended before the reply was complete', isDoubtful: true });
}

/** The same for a turn whose stream was lost: first what the session has kept, then what comes. */
async function catchUp(
  events: SessionEvents,
  marker: string,
  progress: TurnProgress,
): Promise<ModelFault | null | 'absent'> {
  const live = await events.open();
  const kept = await events.listFrom(marker);
  if (kept === null) return 'absent';
  let state: TurnState = 'running';
  for (const event of kept) {
    state = progress.take(event);
    if (state === 'over') return null;
    if (state instanceof ModelFault) return state;
  }
  // Earlier questions have their answers.
  if (state !== 'running') await events.deny(state.asks);
  return complete(live, progress, events);
}
