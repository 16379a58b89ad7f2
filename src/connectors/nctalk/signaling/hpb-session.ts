import { GatewayError } from '../../../base/errors.ts';
import { type FindAddresses, guardedLookup, isClosedAddress } from '../../../base/find-addresses.ts';
import type { AddressRule } from '../../../base/public-address.ts';
import type { ReadingTime } from '../../../base/reading-time.ts';
import type { CancelTimer, Clock } from '../../../base/time.ts';
import { type HelloAuth, helloMessage, resumeMessage } from './hello.ts';
import { HpbConnection, HpbError } from './hpb-connection.ts';
import type { HpbMessage } from './hpb-messages.ts';
import { signalingUrl } from './signaling-address.ts';

/** Where servers may be that other people name. */
export interface Reach {
  readonly findAddresses: FindAddresses;
  readonly isOpen: AddressRule;
  /** In which what they send is read. */
  readonly readingTime: ReadingTime;
}

export interface HpbSessionDeps {
  readonly clock: Clock;
  readonly reach: Reach;
  /** As the Nextcloud names the server. */
  readonly server: string;
  /** Of the Nextcloud. */
  readonly nextcloud: string;
  readonly auth: HelloAuth;
  readonly observer: HpbSessionObserver;
}

/** Hears from a session that has been opened. Nothing follows `over`. */
export interface HpbSessionObserver {
  /** A message that answers no request. After a cut, the server delivers what came meanwhile. */
  message(message: HpbMessage): void;
  /** The session is on another connection: what was sent shortly before the cut may be lost. */
  resumed(): void;
  /** The session is over. `code`: the server's word, if it has said one. */
  over(reason: string, code: string): void;
}

/** The server forgets a session that has been without a connection for 30 s. */
const RESUME_MS = 25_000;
const PAUSES_MS = [0, 100, 250, 500, 1_000, 2_000] as const;
/** A connection that lasts shorter has helped nothing: the next one takes its time. */
const STEADY_MS = 5_000;
/** Messages that wait for a connection. */
const MAX_UNSENT = 100;

/** A session with a signaling server. It outlives its connections. */
export class HpbSession {
  readonly #deps: HpbSessionDeps;
  #connection: HpbConnection | null = null;
  #unsent: object[] = [];
  #resumeId = '';
  #isUp = false;
  #upMs = 0;
  #tries = 0;
  #isOver = false;
  #cancelResume: CancelTimer = () => undefined;
  #id = '';

  private constructor(deps: HpbSessionDeps) {
    this.#deps = deps;
  }

  /** Opens a session. Rejects with an HpbError or a GatewayError when it is refused, and with an Error without an answer. */
  static async open(deps: HpbSessionDeps, signal: AbortSignal): Promise<HpbSession> {
    const session = new HpbSession(deps);
    const stop = (): void => session.close();
    signal.addEventListener('abort', stop, { once: true });
    try {
      await session.#connect((features) => helloMessage(deps.auth, deps.nextcloud, features));
    } catch (error) {
      session.close();
      throw error;
    } finally {
      signal.removeEventListener('abort', stop);
    }
    return session;
  }

  /** By which others know it. */
  get id(): string {
    return this.#id;
  }

  /** Whether there is a connection. */
  get isUp(): boolean {
    return this.#isUp;
  }

  /** Sends a message, now or when there is a connection again; of too many, the oldest are dropped. */
  send(message: object): void {
    if (this.#isOver) return;
    if (this.#isUp) return this.#connection?.send(message);
    if (this.#unsent.length >= MAX_UNSENT) this.#unsent.shift();
    this.#unsent.push(message);
  }

  /** Sends something to a session, or to the server in its place. `id`: comes back with a refusal. */
  sendTo(to: string, data: object, id?: string): void {
    const message = { recipient: { type: 'session', sessionid: to }, data: { ...data, to } };
    this.send({ type: 'message', message, ...(id !== undefined && { id }) });
  }

  /** Sends a request now. Rejects with an HpbError, or an Error without an answer. */
  async request(message: object): Promise<HpbMessage> {
    if (!this.#isUp || this.#connection === null)
      throw new Error('There is no connection to the signaling server');
    return await this.#connection.request(message);
  }

  /** Signs off. Nothing is reported any more. Safe to call twice. */
  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#cancelResume();
    if (this.#isUp) this.#connection?.send({ type: 'bye', bye: {} });
    this.#connection?.close('the call is over');
  }

  async #connect(hello: (features: readonly string[]) => object): Promise<void> {
    const { server, nextcloud, reach, clock } = this.#deps;
    const url = signalingUrl(server, nextcloud, reach.isOpen);
    const connection = new HpbConnection({
      url,
      lookup: guardedLookup(reach.findAddresses, reach.isOpen),
      clock,
      reader: reach.readingTime.of(new URL(nextcloud).origin),
      take: (message) => this.#take(connection, message),
    });
    this.#connection = connection;
    try {
      const { hello: answer } = await connection.request(hello(await connection.welcome));
      if (this.#isOver) throw new Error('the call is over');
      if (answer === undefined) throw new Error('The signaling server gave no session');
      this.#id = answer.sessionid;
      this.#resumeId = answer.resumeid ?? this.#resumeId;
    } catch (error) {
      connection.close('the signaling server did not let the bot in');
      throw isClosedAddress((error as Error).cause) ? new GatewayError('server_blocked') : error;
    }
    this.#isUp = true;
    this.#upMs = clock.monotonicMs();
    void connection.ended.then((reason) => this.#cut(connection, reason));
    for (const message of this.#unsent.splice(0)) connection.send(message);
  }

  #take(connection: HpbConnection, message: HpbMessage): void {
    if (this.#isOver || connection !== this.#connection) return;
    const { bye } = message;
    if (bye === undefined) return this.#deps.observer.message(message);
    const reason = bye.reason ?? '';
    this.#end(`the signaling server said goodbye${reason && `: ${reason}`}`, reason);
  }

  /** The connection has ended by itself. */
  #cut(connection: HpbConnection, reason: string): void {
    if (this.#isOver || connection !== this.#connection) return;
    this.#isUp = false;
    const nowMs = this.#deps.clock.monotonicMs();
    if (nowMs - this.#upMs >= STEADY_MS) this.#tries = 0;
    this.#resume(reason, nowMs + RESUME_MS);
  }

  #resume(reason: string, untilMs: number): void {
    const { clock } = this.#deps;
    if (clock.monotonicMs() >= untilMs) return this.#end(reason, '');
    const pauseMs = PAUSES_MS[this.#tries] ?? PAUSES_MS.at(-1)!;
    this.#tries++;
    this.#cancelResume = clock.after(pauseMs, () => {
      this.#connect(() => resumeMessage(this.#resumeId)).then(
        () => this.#deps.observer.resumed(),
        (error: unknown) => {
          if (this.#isOver) return;
          const { message } = error as Error;
          if (error instanceof HpbError) return this.#end(message, error.code);
          if (error instanceof GatewayError) return this.#end(message, '');
          this.#resume(message, untilMs);
        },
      );
    });
  }

  #end(reason: string, code: string): void {
    if (this.#isOver) return;
    this.close();
    this.#deps.observer.over(reason, code);
  }
}
