import type { MessagePort } from 'node:worker_threads';
import { unreachable } from '../base/assert.ts';
import { Overloaded } from '../base/errors.ts';
import type { FairShare, ReleasePlace } from '../base/fair-share.ts';
import { runCommand } from '../media/media-protocol.ts';
import { MAX_PENDING_SIGNALS, type Transport, type TransportHost } from '../media/transport.ts';
import {
  SignalCredit,
  type TransportMessage,
  type TransportOutcome,
  type TransportPlacement,
  type TransportRequest,
} from '../threads/bridge-protocol.ts';
import { toWireError } from '../threads/protocol.ts';

/** As long as the main thread waits for a transport to open. */
const TURN_WITHIN_MS = 10_000;

/** A transport on its bridge thread, and its port to the main thread. */
export class HeldTransport implements TransportHost<unknown> {
  readonly outcome: Promise<TransportOutcome>;
  readonly #port: MessagePort;
  readonly #credit: SignalCredit;
  readonly #turns: FairShare;
  readonly #resolve: (outcome: TransportOutcome) => void;
  /** Commands that arrive earlier wait for it. */
  readonly #opened = Promise.withResolvers<Transport>();
  #transport: Transport | null = null;
  #isOver = false;
  #endTurn: ReleasePlace = () => {};

  /** `turns` are those of the thread. */
  constructor({ port, credit }: Pick<TransportPlacement, 'port' | 'credit'>, turns: FairShare) {
    this.#port = port;
    this.#turns = turns;
    this.#credit = new SignalCredit(credit);
    const { promise, resolve } = Promise.withResolvers<TransportOutcome>();
    this.outcome = promise;
    this.#resolve = resolve;
    port.on('message', (request: TransportRequest) => this.#handle(request));
    // The main thread has given the transport up.
    port.on('close', () => this.end({ type: 'closed' }));
  }

  /** Takes the opened transport, or closes it when the end came first. */
  begin(transport: Transport): void {
    if (this.#isOver) return transport.close();
    this.#transport = transport;
    this.#opened.resolve(transport);
    this.#post({ type: 'opened' });
  }

  emit(signal: unknown): boolean {
    if (this.#isOver || !this.#credit.take(MAX_PENDING_SIGNALS)) return false;
    try {
      this.#post({ type: 'signal', signal });
    } catch (error) {
      this.#credit.give();
      throw error;
    }
    return true;
  }

  fail(error: unknown): void {
    this.end({ type: 'failed', error: toWireError(error) });
  }

  async turn(accountId: string): Promise<ReleasePlace> {
    const release = await this.#turns.take(accountId, TURN_WITHIN_MS);
    if (release === null) throw new Overloaded('The bridge thread has too many transports to open');
    if (this.#isOver) release();
    this.#endTurn = release;
    return release;
  }

  /** Closes the transport and ends its task. Only the first call counts. */
  end(outcome: TransportOutcome): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#endTurn();
    this.#port.close();
    try {
      this.#transport?.close();
      this.#resolve(outcome);
    } catch (error) {
      this.#resolve({ type: 'failed', error: toWireError(error) });
    }
  }

  #handle(request: TransportRequest): void {
    switch (request.type) {
      case 'command': {
        const { requestId } = request;
        this.#run(request.name, request.args)
          .then((value) => this.#post({ type: 'reply', requestId, ok: true, value }))
          .catch((error) => this.#post({ type: 'reply', requestId, ok: false, error: toWireError(error) }));
        return;
      }
      case 'close':
        this.end({ type: 'closed' });
        return;
      default:
        return unreachable(request);
    }
  }

  async #run(name: string, args: readonly unknown[]): Promise<unknown> {
    const { commands } = await this.#opened.promise;
    return await runCommand('transport', commands, name, args);
  }

  #post(message: TransportMessage): void {
    if (!this.#isOver) this.#port.postMessage(message);
  }
}
