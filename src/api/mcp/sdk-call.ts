import type { ServerContext } from '@modelcontextprotocol/server';
import type { Principal } from '../auth/principal.ts';
import { CallSignal, type Cancellations } from './cancellations.ts';
import { type Asking, askingOf, type Served } from './served.ts';
import type { ToolContext } from './tools/mcp-tool.ts';

/** A call of a tool that comes by way of the SDK. */
export class SdkCall implements ToolContext {
  readonly principal: Principal;
  readonly requestId: string;
  readonly isStateful: boolean;
  readonly #request: ServerContext['mcpReq'];
  readonly #withhold: Asking['withhold'];
  readonly #cancelling: CallSignal;
  #steps = 0;

  constructor(cancellations: Cancellations, { owner, updates }: Served, context: ServerContext) {
    const { principal, requestId, withhold } = askingOf(context);
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

  /** Whoever wants to hear of progress has named a token for it. */
  progress(message: string): void {
    const progressToken = this.#request._meta?.progressToken;
    if (progressToken === undefined) return;
    this.#steps += 1;
    const params = { progressToken, progress: this.#steps, message };
    this.#request.notify({ method: 'notifications/progress', params }).catch(() => {
      // The client is gone, as the call's signal tells the tool.
    });
  }

  /** To be called before the SDK hears of the result. */
  end(): void {
    this.#cancelling.end();
    if (this.#cancelling.isCancelled) this.#withhold(this.#request.id);
  }
}
