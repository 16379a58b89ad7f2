import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Deadlines } from '../../base/deadlines.ts';
import type { CancelTimer } from '../../base/time.ts';
import type { Principal } from '../auth/principal.ts';
import { type Reply, replyStream } from '../http/reply.ts';
import { Bell } from './bell.ts';
import { CallSignal, type Cancellations } from './cancellations.ts';
import type { McpRequest } from './mcp-request.ts';
import {
  EVENTS_HEADERS,
  EVENTS_TYPE,
  eventFrame,
  KEEP_ALIVE_FRAME,
  KEEP_ALIVE_MS,
  noAnswer,
  type RpcId,
} from './rpc-message.ts';
import type { ToolContext } from './tools/mcp-tool.ts';

/** What calls that wait are kept with. */
export interface Waiting {
  readonly cancellations: Cancellations;
  readonly deadlines: Deadlines;
}

/** One call, and how its answer goes out. */
export interface QuickOptions {
  readonly request: McpRequest;
  readonly id: RpcId;
  /** By whom it is cancelled. */
  readonly owner: string;
  readonly isStateful: boolean;
  readonly progressToken: unknown;
  /** The answer as JSON-RPC, for a stream. */
  readonly encode: (result: CallToolResult) => string;
  /** The answer without a stream. */
  readonly whole: (result: CallToolResult) => Reply;
}

/**
 * A call of a tool without a server of the SDK. Its answer goes out at once, unless the call takes so long that a
 * proxy could lose patience, or tells how it goes on: then as a stream.
 */
export class QuickCall implements ToolContext {
  readonly #options: QuickOptions;
  readonly #waiting: Waiting;
  #reply: PromiseWithResolvers<Reply> | null = null;
  #cancelling: CallSignal | null = null;
  #isWaiting = false;
  #cancelKeepAlive: CancelTimer = () => {};
  #stream: FrameStream | null = null;
  #steps = 0;

  constructor(options: QuickOptions, waiting: Waiting) {
    this.#options = options;
    this.#waiting = waiting;
  }

  get principal(): Principal {
    return this.#options.request.principal;
  }

  get requestId(): string {
    return this.#options.request.requestId;
  }

  get isStateful(): boolean {
    return this.#options.isStateful;
  }

  /** Whoever looks at it is about to wait. */
  get signal(): AbortSignal {
    if (!this.#isWaiting) this.#keepAlive();
    this.#isWaiting = true;
    return this.#underWay().signal;
  }

  progress(message: string): void {
    const { progressToken } = this.#options;
    if (progressToken === undefined) return;
    this.#steps += 1;
    const params = { progressToken, progress: this.#steps, message };
    this.#push(eventFrame(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params })));
  }

  /** The answer, or how it goes out once that is known. `result` must not reject. */
  answer(result: CallToolResult | Promise<CallToolResult>): Reply | Promise<Reply> {
    if (!(result instanceof Promise) && this.#stream === null) return this.#whole(result);
    this.#underWay();
    this.#reply ??= Promise.withResolvers();
    const { promise, reject } = this.#reply;
    Promise.resolve(result)
      .then((value) => this.#finish(value))
      .catch(reject);
    return promise;
  }

  #whole(result: CallToolResult): Reply {
    this.#end();
    return this.#options.whole(result);
  }

  #end(): void {
    this.#cancelling?.end();
    this.#cancelKeepAlive();
  }

  /** A cancelled call is not answered: its stream ends without a word. */
  #finish(result: CallToolResult): void {
    if (this.#cancelling?.isCancelled) {
      this.#end();
      if (this.#stream === null) this.#reply?.resolve(noAnswer());
      else this.#stream.end('');
    } else if (this.#stream === null) {
      this.#reply?.resolve(this.#whole(result));
    } else {
      this.#end();
      this.#stream.end(eventFrame(this.#options.encode(result)));
    }
  }

  /** What takes longer than this turn can be cancelled. */
  #underWay(): CallSignal {
    const { request, id, owner } = this.#options;
    this.#cancelling ??= new CallSignal(this.#waiting.cancellations, owner, id, () => request.signal);
    return this.#cancelling;
  }

  #keepAlive(): void {
    this.#cancelKeepAlive = this.#waiting.deadlines.after(KEEP_ALIVE_MS, () => {
      this.#push(KEEP_ALIVE_FRAME);
      this.#keepAlive();
    });
  }

  #push(frame: string): void {
    this.#stream ??= this.#openStream();
    this.#stream.push(frame);
  }

  #openStream(): FrameStream {
    const stream = new FrameStream();
    const frames = stream.frames(this.#options.request.signal);
    this.#reply ??= Promise.withResolvers();
    this.#reply.resolve(replyStream(200, EVENTS_TYPE, frames, { headers: EVENTS_HEADERS }));
    return stream;
  }
}

/** Frames of one answer on their way. Signs of life of a call are few, so that there is no bound but its end. */
class FrameStream {
  readonly #bell = new Bell();
  #frames: string[] = [];
  #isOver = false;

  push(frame: string): void {
    this.#frames.push(frame);
    this.#bell.ring();
  }

  end(frame: string): void {
    this.#isOver = true;
    this.push(frame);
  }

  async *frames(signal: AbortSignal): AsyncGenerator<string> {
    const stop = (): void => this.end('');
    signal.addEventListener('abort', stop, { once: true });
    try {
      for (;;) {
        const frames = this.#frames;
        this.#frames = [];
        yield* frames;
        if (this.#frames.length > 0) continue;
        if (this.#isOver) return;
        await this.#bell.heard();
      }
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }
}
