import { GatewayError } from '../../base/errors.ts';
import type { CancelTimer, Clock } from '../../base/time.ts';
import type { Reply } from '../http/answer/reply.ts';
import type { McpEndpoint } from './mcp-endpoint.ts';
import type { McpRequest } from './mcp-request.ts';

/** Delay after the gateway was assembled. By then startup is over, and few clients have connected. */
const LOAD_AFTER_MS = 1_000;

/** The MCP endpoint, loaded after startup: the SDK is a sixth of the gateway's code. An earlier request loads it at once. */
export class LazyServer {
  readonly #load: () => Promise<McpEndpoint>;
  readonly #cancelTimer: CancelTimer;
  #endpoint: McpEndpoint | null = null;
  #loading: Promise<McpEndpoint> | null = null;
  /** Credentials that changed while requests were waiting for the endpoint to load. */
  readonly #changed = new Set<string>();
  #isClosed = false;

  constructor(open: () => Promise<McpEndpoint>, clock: Clock) {
    this.#load = open;
    // The next request gets the error if loading fails.
    this.#cancelTimer = clock.after(LOAD_AFTER_MS, () => void this.#loaded().catch(() => {}));
  }

  /** Number of open sessions. */
  get sessionCount(): number {
    return this.#endpoint?.sessionCount ?? 0;
  }

  /** Credentials with an open stream or a pending request. */
  users(): ReadonlySet<string> {
    return this.#endpoint?.users() ?? new Set();
  }

  post(request: McpRequest): Reply | Promise<Reply> {
    if (this.#endpoint) return this.#endpoint.post(request);
    // The HTTP server takes the body's memory back when this returns.
    const bytes = request.body && Buffer.from(request.body);
    return this.#loadedFor(request).then((endpoint) => endpoint.post(request, bytes));
  }

  async get(request: McpRequest): Promise<Reply> {
    return await (this.#endpoint ?? (await this.#loadedFor(request))).get(request);
  }

  async delete(request: McpRequest): Promise<Reply> {
    return await (this.#endpoint ?? (await this.#loadedFor(request))).delete(request);
  }

  /** A credential now acts for these agents; for none if it was revoked. */
  follow(credentialId: string, agentIds: readonly string[]): void {
    if (this.#endpoint) this.#endpoint.follow(credentialId, agentIds);
    else if (this.#loading) this.#changed.add(credentialId);
  }

  /** Ends all open-ended streams; safe to call twice. */
  close(): void {
    this.#isClosed = true;
    this.#cancelTimer();
    this.#endpoint?.close();
  }

  /** Throws `not_ready` if the credential changed meanwhile: the client has to authenticate again. */
  async #loadedFor({ principal }: McpRequest): Promise<McpEndpoint> {
    const endpoint = await this.#loaded();
    if (this.#changed.has(principal.credentialId)) throw new GatewayError('not_ready');
    return endpoint;
  }

  #loaded(): Promise<McpEndpoint> {
    this.#loading ??= this.#load().then(
      (endpoint) => {
        // Deferred until all waiting requests have run, so that they still see changes made until then.
        setImmediate(() => this.#take(endpoint));
        return endpoint;
      },
      (error) => {
        this.#loading = null;
        throw error;
      },
    );
    return this.#loading;
  }

  #take(endpoint: McpEndpoint): void {
    this.#endpoint = endpoint;
    // Credentials that changed while the waiting requests ran.
    for (const credentialId of this.#changed) endpoint.follow(credentialId, []);
    this.#changed.clear();
    if (this.#isClosed) endpoint.close();
  }
}
