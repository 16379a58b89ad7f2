import type { AnswerListener, Responder } from '../http/answer/responder.ts';
import type { RequestHead } from '../http/request/request-head.ts';
import type { AskedRequest, FromThread, ToThread } from './thread-protocol.ts';

/** As the library has it. */
export type WholeHead = RequestHead & { forEach(take: (name: string, value: string) => void): void };

type Answered = Extract<ToThread, { readonly type: 'answered' }>;
export type Accepted = Extract<ToThread, { readonly type: 'accepted' }>;

/** A request that the main thread has not answered yet. Its connection has the library's deadline of ten seconds. */
class Asked implements AnswerListener {
  readonly #responder: Responder;
  readonly #settle: (accepted: Accepted | null) => void;
  readonly #over: () => void;

  constructor(responder: Responder, settle: (accepted: Accepted | null) => void, over: () => void) {
    this.#responder = responder;
    this.#settle = settle;
    this.#over = over;
    responder.watch(this);
  }

  accept(accepted: Accepted): void {
    this.#over();
    this.#settle(accepted);
  }

  /** Nothing more is served on the connection: the rest of it may be for the main thread. */
  refuse({ status, headers, body }: Answered): void {
    this.#over();
    this.#settle(null);
    this.#responder.cork(() => {
      this.#responder.writeStatus(status);
      for (const [name, value] of headers) this.#responder.writeHeader(name, value);
      this.#responder.end(body, true, IGNORED);
    });
  }

  drop(): void {
    this.#over();
    this.#settle(null);
    this.#responder.close();
  }

  sent(): void {}

  room(): void {}

  aborted(): void {
    this.#over();
    this.#settle(null);
  }
}

const IGNORED: AnswerListener = { sent() {}, room() {}, aborted() {} };

/** Requests that the main thread answers. */
export class AskedRequests {
  readonly #post: (message: FromThread) => void;
  readonly #pending = new Map<number, Asked>();
  #lastId = 0;

  constructor(post: (message: FromThread) => void) {
    this.#post = post;
  }

  /** Resolves to null unless the main thread accepts a handshake. Never rejects. */
  ask(kind: AskedRequest['kind'], head: WholeHead, responder: Responder): Promise<Accepted | null> {
    this.#lastId += 1;
    const id = this.#lastId;
    const { promise, resolve } = Promise.withResolvers<Accepted | null>();
    this.#pending.set(id, new Asked(responder, resolve, () => this.#pending.delete(id)));
    this.#post({
      type: 'asked',
      id,
      kind,
      method: head.getMethod(),
      url: head.getUrl(),
      query: head.getQuery(),
      headers: headersOf(head),
      address: responder.remoteAddress(),
    });
    return promise;
  }

  /** Returns false when the client has gone meanwhile. */
  accept(accepted: Accepted): boolean {
    const asked = this.#pending.get(accepted.id);
    asked?.accept(accepted);
    return asked !== undefined;
  }

  refuse(answered: Answered): void {
    this.#pending.get(answered.id)?.refuse(answered);
  }

  drop(id: number): void {
    this.#pending.get(id)?.drop();
  }
}

function headersOf(head: WholeHead): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  head.forEach((name, value) => {
    if (!headers.has(name)) headers.set(name, value);
  });
  return headers;
}
