import { GatewayError } from '../../base/errors.ts';
import type { CancelTimer, Clock } from '../../base/time.ts';
import type { Reply } from '../http/reply.ts';
import type { McpDoor } from './mcp-door.ts';
import type { McpRequest } from './mcp-request.ts';

/** From when the gateway is put together; a usual start is over by then, and hardly any client has come. */
const OPEN_AFTER_MS = 1_000;

/**
 * The door of the MCP server, which is loaded after the start: the SDK is a sixth of the gateway's code. Who comes
 * earlier has it loaded at once, and waits for that.
 */
export class LateDoor {
  readonly #open: () => Promise<McpDoor>;
  readonly #cancelTimer: CancelTimer;
  #door: McpDoor | null = null;
  #opening: Promise<McpDoor> | null = null;
  /** Credentials that changed while somebody may have waited for the door with them. */
  readonly #changed = new Set<string>();
  #isClosed = false;

  constructor(open: () => Promise<McpDoor>, clock: Clock) {
    this.#open = open;
    // Why it cannot be loaded is told to whoever comes next.
    this.#cancelTimer = clock.after(OPEN_AFTER_MS, () => void this.#opened().catch(() => {}));
  }

  /** Sessions that are open now. */
  get sessionCount(): number {
    return this.#door?.sessionCount ?? 0;
  }

  /** Credentials of those who listen now, or wait for an answer. */
  users(): ReadonlySet<string> {
    return this.#door?.users() ?? new Set();
  }

  post(request: McpRequest): Reply | Promise<Reply> {
    return this.#door
      ? this.#door.post(request)
      : this.#openedFor(request).then((door) => door.post(request));
  }

  async get(request: McpRequest): Promise<Reply> {
    return await (this.#door ?? (await this.#openedFor(request))).get(request);
  }

  async delete(request: McpRequest): Promise<Reply> {
    return await (this.#door ?? (await this.#openedFor(request))).delete(request);
  }

  /** A credential acts for these agents from now on, for none when it lets nobody in any more. */
  follow(credentialId: string, agentIds: readonly string[]): void {
    if (this.#door) this.#door.follow(credentialId, agentIds);
    else if (this.#opening) this.#changed.add(credentialId);
  }

  /** Ends all streams that would go on for ever; safe to call twice. */
  close(): void {
    this.#isClosed = true;
    this.#cancelTimer();
    this.#door?.close();
  }

  /** Throws `not_ready` where the credential changed meanwhile: asked again it is another one, or none. */
  async #openedFor({ principal }: McpRequest): Promise<McpDoor> {
    const door = await this.#opened();
    if (this.#changed.has(principal.credentialId)) throw new GatewayError('not_ready');
    return door;
  }

  #opened(): Promise<McpDoor> {
    this.#opening ??= this.#open().then(
      (door) => {
        // Not before all who waited have had their turn: what changes until then is for them to hear.
        setImmediate(() => this.#take(door));
        return door;
      },
      (error) => {
        this.#opening = null;
        throw error;
      },
    );
    return this.#opening;
  }

  #take(door: McpDoor): void {
    this.#door = door;
    // Who was let in in that very turn, and changed in it.
    for (const credentialId of this.#changed) door.follow(credentialId, []);
    this.#changed.clear();
    if (this.#isClosed) door.close();
  }
}
