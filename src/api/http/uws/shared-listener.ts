import { type Accepting, type Listener, loadAccepting } from '../../../native/acceptor.ts';
import { cannotListen, type ServerHandlers, type SocketThreads } from '../server-library.ts';

/**
 * Listens for several threads. The library's own way, child apps, gives them connections in turn, whatever these ask for.
 */
export class SharedListener {
  readonly #accepting: Accepting;
  readonly #threads: SocketThreads;
  readonly #admits: ServerHandlers['admitsConnection'];
  readonly #adopt: (descriptor: number) => void;
  #listener: Listener | null = null;

  /** Null when the addon is missing. `adopt` takes what no thread takes. */
  static open(
    threads: SocketThreads,
    { admitsConnection }: Pick<ServerHandlers<unknown>, 'admitsConnection'>,
    adopt: (descriptor: number) => void,
  ): SharedListener | null {
    const accepting = loadAccepting();
    if (typeof accepting === 'string') return null;
    return new SharedListener(accepting, threads, admitsConnection, adopt);
  }

  private constructor(
    accepting: Accepting,
    threads: SocketThreads,
    admits: ServerHandlers['admitsConnection'],
    adopt: (descriptor: number) => void,
  ) {
    this.#accepting = accepting;
    this.#threads = threads;
    this.#admits = admits;
    this.#adopt = adopt;
  }

  async listen(host: string, port: number): Promise<number> {
    const { prefix } = this.#threads;
    const listener = this.#accepting.listen(host, port, prefix, (descriptor, head) =>
      this.#accepted(descriptor, head),
    );
    if (typeof listener === 'number') throw cannotListen(host, port);
    this.#listener = listener;
    return this.#accepting.port(listener);
  }

  stop(): void {
    if (this.#listener !== null) this.#accepting.stop(this.#listener);
    this.#listener = null;
  }

  #accepted(descriptor: number, head: string | undefined): void {
    if (head === undefined) return this.#adopt(descriptor);
    if (!this.#admits('')) return this.#accepting.closeDescriptor(descriptor);
    if (!this.#threads.take(descriptor, head)) this.#adopt(descriptor);
  }
}
