import type { CancelTimer, Clock } from '../../base/time.ts';
import type { Reply } from '../http/reply.ts';
import type { McpDoor } from './mcp-door.ts';
import type { McpRequest } from './mcp-request.ts';

/** By then a start is over, and hardly any client has come. */
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

  post(request: McpRequest): Reply | Promise<Reply> {
    return this.#door ? this.#door.post(request) : this.#opened().then((door) => door.post(request));
  }

  async get(request: McpRequest): Promise<Reply> {
    return await (await this.#opened()).get(request);
  }

  async delete(request: McpRequest): Promise<Reply> {
    return await (await this.#opened()).delete(request);
  }

  /** A credential acts for these agents from now on, for none when it lets nobody in any more. */
  follow(credentialId: string, agentIds: readonly string[]): void {
    if (this.#door) this.#door.follow(credentialId, agentIds);
    // Whoever waits for the door has been let in already; they come first.
    else this.#opening?.then((door) => door.follow(credentialId, agentIds)).catch(() => {});
  }

  /** Ends all streams that would go on for ever; safe to call twice. */
  close(): void {
    this.#isClosed = true;
    this.#cancelTimer();
    this.#door?.close();
  }

  #opened(): Promise<McpDoor> {
    this.#opening ??= this.#open().then(
      (door) => this.#take(door),
      (error) => {
        this.#opening = null;
        throw error;
      },
    );
    return this.#opening;
  }

  #take(door: McpDoor): McpDoor {
    this.#door = door;
    if (this.#isClosed) door.close();
    return door;
  }
}
