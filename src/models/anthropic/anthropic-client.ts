import { type Clock, pause, withDeadline } from '../../base/time.ts';
import type { JsonApi } from '../http/json-api.ts';
import type {
  ModelChoices,
  ModelClient,
  ModelMemory,
  ModelReply,
  ModelTurn,
  TurnFate,
  TurnObserver,
} from '../model-client.ts';
import { isFault, isTemporary, ModelFault, unlessGone } from '../model-fault.ts';
import { conversationOf, forgottenConversation, memoryOf } from '../provider-conversation.ts';
import { choices, probe } from './anthropic-choices.ts';
import { GatewayObjects } from './gateway-objects.ts';
import { type SessionEvent, SessionEvents, userMessage } from './session-events.ts';
import { type Answerer, isGone, Sessions } from './sessions.ts';
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
export class AnthropicClient implements ModelClient {
  readonly #options: AnthropicClientOptions;
  readonly #objects: GatewayObjects;
  readonly #sessions: Sessions;
  /** Interruptions on their way, by session. */
  readonly #interruptions = new Map<string, Promise<void>>();

  constructor(options: AnthropicClientOptions) {
    const { api, clock, answerer } = options;
    this.#options = options;
    this.#objects = new GatewayObjects(api, clock);
    this.#sessions = new Sessions(api, this.#objects, answerer);
  }

  probe(signal: AbortSignal): Promise<void> {
    return probe(this.#options.api, this.#options.answerer, signal);
  }

  browse(signal: AbortSignal): Promise<ModelChoices> {
    return choices(this.#options.api, signal);
  }

  async turn(turn: ModelTurn, observer: TurnObserver): Promise<ModelReply> {
    const known = conversationOf(turn);
    const session = known ?? (await this.#sessions.create(turn));
    const memory = memoryOf(session, turn);
    if (known === null) observer.memoryChanged(memory);
    const progress = new TurnProgress(this.#options.api, turn, (part) => observer.text(part));
    await this.#follow(session, turn, async (events) => {
      const [live] = await Promise.all([events.open(), this.#interruptions.get(session)]);
      await this.#interruptible(session, turn.signal, async () => {
        await events.send([userMessage(turn, known === null)]);
        const fault = await complete(live, progress, events);
        if (fault) throw fault;
      });
    });
    return { ...progress.reply, memory };
  }

  async reconcile(turn: ModelTurn): Promise<TurnFate> {
    const session = conversationOf(turn);
    if (session === null) return { kind: 'absent' };
    const progress = new TurnProgress(this.#options.api, turn, () => {});
    const end = await this.#follow(session, turn, (events) => catchUp(events, turn.marker, progress));
    if (end === 'absent') return { kind: 'absent' };
    if (end && !isTemporary(end)) throw end;
    const { reply } = progress;
    if (end || reply.text === '') return { kind: 'unanswered' };
    return { kind: 'answered', reply: { ...reply, memory: memoryOf(session, turn) } };
  }

  async forget(memory: ModelMemory, signal: AbortSignal): Promise<void> {
    const session = forgottenConversation(memory);
    if (session === null) return;
    await withDeadline(this.#options.clock, DELETE_MS, signal, async (limit) => {
      while (!(await this.#delete(session, signal, limit))) {
        await this.#interrupt(session);
        await pause(this.#options.clock, DELETE_AGAIN_MS, limit);
      }
    });
  }

  async forgetTools(digest: string, signal: AbortSignal): Promise<void> {
    await unlessGone(this.#objects.deleteVault(digest, signal));
  }

  /** Runs `use` with the events of a session. Closes the stream afterwards, which has no end of its own. */
  async #follow<Result>(
    session: string,
    { signal }: ModelTurn,
    use: (events: SessionEvents) => Promise<Result>,
  ): Promise<Result> {
    const end = new AbortController();
    try {
      return await use(new SessionEvents(this.#options.api, session, AbortSignal.any([signal, end.signal])));
    } catch (fault) {
      throw isGone(fault) ? new ModelFault('lost_memory', { words: fault.message }, { cause: fault }) : fault;
    } finally {
      end.abort();
    }
  }

  /** An aborted turn would go on at Anthropic. */
  async #interruptible(session: string, signal: AbortSignal, run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (error) {
      if (signal.aborted) this.#startInterruption(session);
      throw error;
    }
  }

  #startInterruption(session: string): void {
    const interruption = this.#interrupt(session).then(() => {
      if (this.#interruptions.get(session) === interruption) this.#interruptions.delete(session);
    });
    this.#interruptions.set(session, interruption);
  }

  /** Does its best: a turn that cannot be interrupted ends by itself. */
  async #interrupt(session: string): Promise<void> {
    const send = (limit: AbortSignal) =>
      new SessionEvents(this.#options.api, session, limit).send([INTERRUPT]);
    await withDeadline(this.#options.clock, INTERRUPT_MS, NEVER, send).catch(() => {});
  }

  /** Returns false while the session is running, for which Anthropic also takes one that has just stopped. */
  async #delete(session: string, signal: AbortSignal, limit: AbortSignal): Promise<boolean> {
    const path = `/v1/sessions/${encodeURIComponent(session)}`;
    try {
      await unlessGone(this.#options.api.tell({ method: 'DELETE', path, signal }));
      return true;
    } catch (fault) {
      if (!isFault(fault, 'bad_request') || limit.aborted) throw fault;
      return false;
    }
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
