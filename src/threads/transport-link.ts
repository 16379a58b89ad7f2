import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { unreachable } from '../base/assert.ts';
import { GatewayError } from '../base/errors.ts';
import type { AnyCommands } from '../media/media-protocol.ts';
import {
  type OpenedTransport,
  TRANSPORT_MEMORY_BYTES,
  type TransportObserver,
  type TransportProtocol,
} from '../media/transport.ts';
import { afterMessages } from './after-messages.ts';
import {
  SignalCredit,
  type TransportMessage,
  type TransportOutcome,
  type TransportPlacement,
  type TransportRequest,
} from './bridge-protocol.ts';
import { MoveLimit } from './move-limit.ts';
import { fromWireError } from './protocol.ts';
import { Requests } from './requests.ts';

const OPEN_DEADLINE_MS = 10_000;
const COMMAND_DEADLINE_MS = 30_000;
const CLOSE_DEADLINE_MS = 3_000;
const MAX_PENDING_COMMANDS = 64;

type CommandRequest = Extract<TransportRequest, { readonly type: 'command' }>;

/** The pool's services for a transport. */
export interface TransportLinkHost {
  /** Runs a placement. Resolves when the task ends, rejects when its thread is lost. */
  run(placement: TransportPlacement): Promise<TransportOutcome>;
  /** The transport's thread was lost. `resumed`: the transport is placed on another one. */
  threadLost(kind: string, reason: string, resumed: boolean): void;
  /** An observer threw. */
  threw(error: unknown): void;
  ended(transport: TransportLink): void;
}

/** What opens a transport: its protocol without types, its argument and its observer. */
export interface TransportOpening {
  readonly protocol: Pick<TransportProtocol<unknown, unknown, unknown>, 'kind' | 'recovery'>;
  readonly open: unknown;
  readonly observer: TransportObserver<unknown>;
}

/** The main thread's end of one transport, on whichever bridge thread it runs. */
export class TransportLink implements OpenedTransport<AnyCommands> {
  readonly #opening: TransportOpening;
  readonly #host: TransportLinkHost;
  readonly #memory = new SharedArrayBuffer(TRANSPORT_MEMORY_BYTES);
  readonly #credit = new SignalCredit();
  readonly #requests = new Requests<CommandRequest>();
  readonly #moves = new MoveLimit();
  readonly #opened = Promise.withResolvers<void>();
  readonly #closed = Promise.withResolvers<void>();
  #port: MessagePort | null = null;
  /** `placing`: a task is starting, and requests wait for it. */
  #state: 'placing' | 'open' | 'closing' | 'over' = 'placing';
  #wasOpen = false;
  /** Of the current placement. */
  #deadline: NodeJS.Timeout | undefined;

  constructor(opening: TransportOpening, host: TransportLinkHost) {
    this.#opening = opening;
    this.#host = host;
  }

  /** Whether it waits to be open, on its first thread or another one. */
  get isOpening(): boolean {
    return this.#state === 'placing';
  }

  /** Signals dropped because the main thread had not handled earlier ones. */
  get droppedSignals(): number {
    return this.#credit.dropped;
  }

  /** Places the transport on a thread. Resolves when it is open. */
  start(): Promise<void> {
    this.#place();
    return this.#opened.promise;
  }

  // The caller's types come from the transport's protocol; here they are not known.
  command(name: string, ...args: readonly unknown[]): Promise<never> {
    return this.#ask(name, args) as Promise<never>;
  }

  close(): Promise<void> {
    if (this.#state === 'closing' || this.#state === 'over') return this.#closed.promise;
    this.#state = 'closing';
    this.#post({ type: 'close' });
    setTimeout(() => this.#end(), CLOSE_DEADLINE_MS).unref();
    return this.#closed.promise;
  }

  async #ask(name: string, args: readonly unknown[]): Promise<unknown> {
    if (this.#state === 'closing' || this.#state === 'over') throw new GatewayError('call_not_active');
    if (this.#requests.size >= MAX_PENDING_COMMANDS)
      throw new GatewayError('platform_failed', 'Too many commands are pending');
    return this.#requests.ask(
      COMMAND_DEADLINE_MS,
      'The transport command',
      (requestId) => ({ type: 'command', requestId, name, args }),
      (request) => this.#post(request),
    );
  }

  /** Sends a request; the port queues it until the task reads it. */
  #post(request: TransportRequest): void {
    this.#port?.postMessage(request);
  }

  #place(): void {
    const late = new GatewayError('deadline_exceeded', 'The transport did not open in time');
    clearTimeout(this.#deadline);
    this.#deadline = setTimeout(() => this.#end(late), OPEN_DEADLINE_MS);
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    port1.on('message', (message: TransportMessage) => this.#received(message));
    port1.unref();
    const { protocol, open } = this.#opening;
    this.#host
      .run({ kind: protocol.kind, open, memory: this.#memory, credit: this.#credit.memory, port: port2 })
      .then(
        (outcome) => afterMessages(() => this.#finished(outcome)),
        (error) => afterMessages(() => this.#threadLost(String(error))),
      );
  }

  #received(message: TransportMessage): void {
    switch (message.type) {
      case 'opened':
        return this.#begin();
      case 'signal':
        return this.#signal(message.signal);
      case 'reply':
        return this.#requests.settle(message);
      default:
        return unreachable(message);
    }
  }

  #begin(): void {
    if (this.#state !== 'placing') return;
    clearTimeout(this.#deadline);
    this.#state = 'open';
    this.#wasOpen = true;
    this.#opened.resolve();
  }

  #signal(signal: unknown): void {
    if (this.#state === 'open' || this.#state === 'placing') {
      this.#observe((observer) => observer.signal(signal));
    }
    this.#credit.give();
  }

  #finished(outcome: TransportOutcome): void {
    if (outcome.type === 'closed') this.#end();
    else this.#end(fromWireError(outcome.error));
  }

  #threadLost(reason: string): void {
    if (this.#state === 'over') return;
    const { kind, recovery } = this.#opening.protocol;
    const isResumed =
      this.#state !== 'closing' && this.#wasOpen && recovery === 'resume' && this.#moves.note();
    this.#host.threadLost(kind, reason, isResumed);
    if (!isResumed) return this.#end(new Error(reason));
    this.#requests.failAll(new GatewayError('internal_error', 'The bridge thread was lost'));
    this.#credit.reset();
    this.#port?.close();
    this.#state = 'placing';
    this.#place();
  }

  /** Ends the transport. `error` says why when nobody closed it. */
  #end(error?: Error): void {
    if (this.#state === 'over') return;
    const isLost = this.#wasOpen && this.#state !== 'closing';
    this.#state = 'over';
    clearTimeout(this.#deadline);
    this.#port?.close();
    const gone = new GatewayError('call_not_active');
    this.#requests.failAll(gone);
    this.#opened.reject(error ?? gone);
    this.#closed.resolve();
    this.#host.ended(this);
    if (isLost) this.#observe((observer) => observer.lost(error?.message ?? 'The transport has ended'));
  }

  #observe(tell: (observer: TransportObserver<unknown>) => void): void {
    try {
      tell(this.#opening.observer);
    } catch (error) {
      this.#host.threw(error);
    }
  }
}
