import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Deadlines } from '../../../base/deadlines.ts';
import type { CancelTimer } from '../../../base/time.ts';
import type { Principal } from '../../auth/principal.ts';
import { type Reply, replyStream } from '../../http/answer/reply.ts';
import { CallSignal, type Cancellations } from '../cancellations.ts';
import type { McpRequest } from '../mcp-request.ts';
import {
  EVENTS_HEADERS,
  EVENTS_TYPE,
  eventFrame,
  KEEP_ALIVE_FRAME,
  KEEP_ALIVE_MS,
  noAnswer,
  type RpcId,
} from '../rpc-message.ts';
import type { ToolContext } from '../tools/mcp-tool.ts';
import { WakeSignal } from '../wake-signal.ts';

export interface FastCallDeps {
  readonly cancellations: Cancellations;
  readonly deadlines: Deadlines;
}

/** One call, and how to encode its answer. */
export interface FastCallOptions {
  readonly request: McpRequest;
  readonly id: RpcId;
  /** The owner that may cancel the call: a session or a credential. */
  readonly owner: string;
  readonly isStateful: boolean;
  readonly progressToken: unknown;
  /** The JSON-RPC response, as an event of a stream. */
  readonly encode: (result: CallToolResult) => string;
  /** The whole HTTP reply if no stream is needed. */
  readonly whole: (result: CallToolResult) => Reply;
}

/**
 * A tool call that bypasses the SDK. The answer is a plain reply, or an event stream if the call reports progress or
 * runs long enough for a proxy to time out.
 */
export class FastCall implements ToolContext {
  readonly #options: FastCallOptions;
  readonly #deps: FastCallDeps;
  #reply: PromiseWithResolvers<Reply> | null = null;
  #cancelling: CallSignal | null = null;
  #isWaiting = false;
  #cancelKeepAlive: CancelTimer = () => {};
  #stream: FrameStream | null = null;
  #steps = 0;

  constructor(options: FastCallOptions, deps: FastCallDeps) {
    this.#options = options;
    this.#deps = deps;
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

  /** The abort signal. Tools read it only before they wait. */
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

  /** The reply; `result` must not reject. */
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

  /** A cancelled call is not answered: its stream ends without a message. */
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

  /** Registers a call that lasts beyond the current turn as cancellable. */
  #underWay(): CallSignal {
    const { request, id, owner } = this.#options;
    this.#cancelling ??= new CallSignal(this.#deps.cancellations, owner, id, () => request.signal);
    return this.#cancelling;
  }

  #keepAlive(): void {
    this.#cancelKeepAlive = this.#deps.deadlines.after(KEEP_ALIVE_MS, () => {
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

/** Frames of one answer. A call sends few before its end, so the queue needs no bound of its own. */
class FrameStream {
  readonly #wake = new WakeSignal();
  #frames: string[] = [];
  #isOver = false;

  push(frame: string): void {
    this.#frames.push(frame);
    this.#wake.raise();
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
        await this.#wake.raised();
      }
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }
}
