import type { Reader } from '../../../base/reading-time.ts';
import { Backoff, type Clock, pause } from '../../../base/time.ts';
import type { SocketClose } from '../../kit/platform-socket.ts';
import type { DiscordRest } from '../client.ts';
import { afterClose, GatewayConnection } from './gateway-connection.ts';
import { type Dispatch, OP, Ready } from './gateway-payload.ts';
import { IdentifyBudget } from './identify-budget.ts';
import type { SessionKeeper } from './session-keeper.ts';

const QUERY = '?v=10&encoding=json';
const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 30_000;
/** Discord asks for a random pause after it has ended a session. */
const INVALID_MS = { least: 1_000, spread: 4_000 } as const;
/** Connections without a hello after which the address for resuming is given up, if Discord itself can be reached. */
const MAX_UNANSWERED = 5;
/** Retry limit for an event that fails to store. It is then skipped and lost, and later events proceed. */
const MAX_TRIES = 20;

export interface SessionDeps {
  readonly rest: Pick<DiscordRest, 'gatewayBot'>;
  readonly token: string;
  /** Whether the gateway must be reached over TLS. */
  readonly isEncrypted: boolean;
  readonly clock: Clock;
  readonly reader: Reader;
  readonly keeper: SessionKeeper;
  readonly observer: SessionObserver;
}

export interface SessionObserver {
  up(): void;
  /** The connection is lost. `words`: why it could not be established; null: it is opened again as usual. */
  down(words: string | null): void;
  /** Called at once for each event that is new, before `take`. */
  seen(event: Dispatch): void;
  /** Handles an event. Resolves once its effects are on disk. */
  take(event: Dispatch): Promise<void>;
  /** What was written since the last session has to be asked for. Resolves when that is done. */
  fillGap(signal: AbortSignal): Promise<void>;
  /** An event could not be handled, or was skipped for good. */
  failed(event: Dispatch, error: unknown, isSkipped: boolean): void;
}

/**
 * A bot's session at Discord's gateway (https://docs.discord.com/developers/events/gateway): connected, resumed,
 * identified anew. The events are handled in order, and Discord repeats those that were not.
 */
export class GatewaySession {
  readonly #deps: SessionDeps;
  readonly #backoff = new Backoff(FIRST_RETRY_MS, LONGEST_RETRY_MS);
  readonly #budget: IdentifyBudget;
  #connection: GatewayConnection | null = null;
  #isUp = false;
  /** The newest event of this session that was reported as seen. */
  #seen = 0;
  #failing = { sequence: 0, tries: 0 };
  /** Connections in a row that were not greeted. */
  #unanswered = 0;
  /** How often Discord has ended a session since one was last up. */
  #invalid = 0;

  constructor(deps: SessionDeps) {
    this.#deps = deps;
    this.#budget = new IdentifyBudget(deps.rest, deps.clock, deps.isEncrypted);
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  /** Ignored while the session is down. */
  send(op: number, data: unknown): void {
    if (this.#isUp) this.#connection?.send(op, data);
  }

  /**
   * Keeps the session until `signal` aborts: null. Otherwise returns a close that only the bot's owner can do something
   * about. Rejects with a PlatformFailure when Discord does not say where its gateway is.
   */
  async run(intents: number, signal: AbortSignal): Promise<SocketClose | null> {
    while (!signal.aborted) {
      const url = await this.#nextUrl(signal);
      if (url === null || signal.aborted) return null;
      const close = await this.#connect(url, intents, signal);
      if (signal.aborted) return null;
      const next = afterClose(close.code);
      if (next !== 'resume') this.#deps.keeper.end();
      if (next === 'stop') return close;
      await pause(this.#deps.clock, this.#backoff.next(), signal);
    }
    return null;
  }

  /** Connects again, which shows whether Discord still accepts the token. */
  reconnect(): void {
    this.#connection?.drop('the token was refused');
  }

  /** Ends the session for good: the bot goes offline. Call it before the signal of `run` aborts. */
  signOff(): void {
    this.#connection?.signOff();
    this.#deps.keeper.end();
  }

  async #nextUrl(signal: AbortSignal): Promise<string | null> {
    const { keeper } = this.#deps;
    if (keeper.session !== null && this.#unanswered < MAX_UNANSWERED) return keeper.session.resumeUrl;
    const url = await this.#budget.nextUrl(signal);
    if (keeper.session !== null) keeper.end();
    return url;
  }

  async #connect(url: string, intents: number, signal: AbortSignal): Promise<SocketClose> {
    const { clock, reader, keeper, observer } = this.#deps;
    let invalidPauseMs = 0;
    const queue = new EventQueue({
      take: (event) => observer.take(event),
      handled: (sequence) => keeper.handled(sequence),
      failed: (event, error) => this.#failed(connection, event, error),
    });
    const connection = new GatewayConnection(
      `${url}${QUERY}`,
      { clock, reader },
      {
        hello: () => this.#greet(connection, intents),
        // What was received but not handled must stay with Discord.
        sequence: () => keeper.session?.sequence ?? null,
        dispatch: (event) => this.#dispatch(connection, queue, event, signal),
        invalidSession: (isResumable) => {
          if (!isResumable) keeper.end();
          this.#invalid += 1;
          invalidPauseMs = INVALID_MS.least + Math.random() * INVALID_MS.spread;
          connection.drop('Discord has ended the session');
        },
      },
    );
    this.#connection = connection;
    const drop = () => connection.drop('the gateway closes');
    signal.addEventListener('abort', drop);
    this.#unanswered += 1;
    const close = await connection.closed;
    signal.removeEventListener('abort', drop);
    this.#connection = null;
    const wasUp = this.#isUp;
    this.#isUp = false;
    // Discord ends a session that follows another within seconds, and one it has forgotten. The next one shows more.
    const isOrdinary = wasUp || (invalidPauseMs > 0 && this.#invalid === 1);
    if (!signal.aborted) observer.down(isOrdinary ? null : close.words);
    await queue.close();
    if (invalidPauseMs > 0) await pause(clock, invalidPauseMs, signal);
    return close;
  }

  #greet(connection: GatewayConnection, intents: number): void {
    const { token, keeper } = this.#deps;
    const { session } = keeper;
    this.#unanswered = 0;
    if (session !== null)
      return connection.send(OP.resume, { token, session_id: session.sessionId, seq: session.sequence });
    this.#budget.spent();
    const properties = { os: process.platform, browser: 'voice-chat-gateway', device: 'voice-chat-gateway' };
    connection.send(OP.identify, { token, intents, properties });
  }

  #dispatch(connection: GatewayConnection, queue: EventQueue, event: Dispatch, signal: AbortSignal): void {
    if (event.type === 'READY') return this.#ready(connection, event, signal);
    if (event.type === 'RESUMED') this.#becomeUp();
    if (this.#deps.keeper.session === null) return connection.drop('Discord sent an event before a session');
    // Those that Discord repeats were seen before the connection was lost.
    if (event.sequence > this.#seen) {
      this.#seen = event.sequence;
      this.#deps.observer.seen(event);
    }
    queue.push(event);
  }

  #ready(connection: GatewayConnection, { data, sequence }: Dispatch, signal: AbortSignal): void {
    const ready = Ready.safeParse(data);
    if (!ready.success) return connection.drop('Discord sent a READY that cannot be read');
    const { keeper, observer } = this.#deps;
    const { session_id: sessionId, resume_gateway_url: resumeUrl } = ready.data;
    if (!this.#budget.isGateway(resumeUrl)) return connection.drop('Discord named an unusable URL');
    this.#seen = sequence;
    keeper.begin({ sessionId, sequence, resumeUrl });
    // Rejects only when the login ends: the next session fills the gap.
    observer.fillGap(signal).then(
      () => keeper.complete(sessionId),
      () => undefined,
    );
    this.#becomeUp();
  }

  #becomeUp(): void {
    this.#isUp = true;
    this.#invalid = 0;
    this.#backoff.reset();
    this.#deps.observer.up();
  }

  /** Has the event repeated, or skips it after too many tries. */
  #failed(connection: GatewayConnection, event: Dispatch, error: unknown): void {
    const { sequence } = event;
    const tries = this.#failing.sequence === sequence ? this.#failing.tries + 1 : 1;
    this.#failing = { sequence, tries };
    const isSkipped = tries >= MAX_TRIES;
    if (isSkipped) this.#deps.keeper.handled(sequence);
    this.#deps.observer.failed(event, error, isSkipped);
    connection.drop('an event could not be handled');
  }
}

/** Events that wait to be handled. Beyond that the connection is dropped, and Discord repeats them when it resumes. */
const MAX_PENDING = 2_000;

interface EventQueueDeps {
  /** Resolves once the event is on disk. */
  take(event: Dispatch): Promise<void>;
  /** Called after each event. */
  handled(sequence: number): void;
  /** The event could not be handled, or too many are waiting. Nothing else is handled. */
  failed(event: Dispatch, error: unknown): void;
}

/** Handles the events of one connection, one after the other. */
class EventQueue {
  readonly #deps: EventQueueDeps;
  #pending: Dispatch[] = [];
  #running: Promise<void> | null = null;
  #isOver = false;

  constructor(deps: EventQueueDeps) {
    this.#deps = deps;
  }

  push(event: Dispatch): void {
    if (this.#isOver) return;
    if (this.#pending.length >= MAX_PENDING)
      return this.#fail(event, new Error('too many events are waiting'));
    this.#pending.push(event);
    this.#running ??= this.#run();
  }

  /** Forgets what is waiting. Resolves when the event in progress is handled. */
  async close(): Promise<void> {
    this.#isOver = true;
    this.#pending = [];
    await this.#running;
  }

  async #run(): Promise<void> {
    for (let event = this.#pending.shift(); event !== undefined; event = this.#pending.shift()) {
      try {
        await this.#deps.take(event);
        this.#deps.handled(event.sequence);
      } catch (error) {
        this.#fail(event, error);
      }
    }
    this.#running = null;
  }

  #fail(event: Dispatch, error: unknown): void {
    this.#isOver = true;
    this.#pending = [];
    this.#deps.failed(event, error);
  }
}
