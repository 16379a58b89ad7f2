import type { ServerContext } from '@modelcontextprotocol/server';
import type { Principal } from '../../auth/principal.ts';
import { CallSignal, type Cancellations } from '../cancellations.ts';
import { type Caller, callerOf, type Served } from '../mcp-contents.ts';
import type { ToolContext } from '../tools/mcp-tool.ts';

/** A tool call that the SDK received. */
export class SdkCall implements ToolContext {
  readonly principal: Principal;
  readonly requestId: string;
  readonly isStateful: boolean;
  readonly #request: ServerContext['mcpReq'];
  readonly #withhold: Caller['withhold'];
  readonly #cancelling: CallSignal;
  #steps = 0;

  constructor(cancellations: Cancellations, { owner, updates }: Served, context: ServerContext) {
    const { principal, requestId, withhold } = callerOf(context);
    this.principal = principal;
    this.requestId = requestId;
    this.isStateful = updates === 'session';
    this.#request = context.mcpReq;
    this.#withhold = withhold;
    const { id, signal } = context.mcpReq;
    this.#cancelling = new CallSignal(cancellations, owner, id, () => signal);
  }

  get signal(): AbortSignal {
    return this.#cancelling.signal;
  }

  /** Only sent if the client gave a progress token. */
  progress(message: string): void {
    const progressToken = this.#request._meta?.progressToken;
    if (progressToken === undefined) return;
    this.#steps += 1;
    const params = { progressToken, progress: this.#steps, message };
    this.#request.notify({ method: 'notifications/progress', params }).catch(() => {
      // The client disconnected; the tool sees that by the call's signal.
    });
  }

  /** Must be called before the result is passed to the SDK. */
  end(): void {
    this.#cancelling.end();
    if (this.#cancelling.isCancelled) this.#withhold(this.#request.id);
  }
}
