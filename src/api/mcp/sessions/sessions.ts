import { GatewayError } from '../../../base/errors.ts';
import { newId } from '../../../base/ids.ts';
import { isRecord } from '../../../base/json.ts';
import type { CancelTimer } from '../../../base/time.ts';
import type { Reply } from '../../http/answer/reply.ts';
import type { McpCounts, McpRequest, SessionEnd } from '../mcp-request.ts';
import { rpcError } from '../rpc-message.ts';
import { McpSession, type SessionDeps } from './session.ts';

/** Limit for all accounts together. */
const MAX_SESSIONS = 10_000;

export interface SessionLimits {
  /** Time after which an unused session ends. Unused: no request, no open stream, no pending call. */
  readonly idleMs: number;
  readonly maxPerAccount: number;
}

/** All sessions. At the limit a new session replaces the account's least recently used one; if all are in use: 429. */
export class McpSessions {
  readonly #deps: SessionDeps;
  readonly #limits: SessionLimits;
  readonly #counts: McpCounts;
  readonly #byId = new Map<string, McpSession>();
  readonly #idleTimers = new Map<McpSession, CancelTimer>();
  #isClosed = false;

  constructor(deps: SessionDeps, limits: SessionLimits, counts: McpCounts) {
    this.#deps = deps;
    this.#limits = limits;
    this.#counts = counts;
  }

  /** Number of open sessions. */
  get count(): number {
    return this.#byId.size;
  }

  /** Credentials whose sessions are in use. */
  users(): string[] {
    return [...this.#byId.values()].filter(({ isInUse }) => isInUse).map(({ credentialId }) => credentialId);
  }

  post(request: McpRequest, body: unknown): Reply | Promise<Reply> {
    if (request.header('mcp-session-id') === '' && isRecord(body) && body.method === 'initialize')
      return this.#open(request, body);
    return this.#in(request, (session) => session.post(request, body));
  }

  async get(request: McpRequest): Promise<Reply> {
    if (this.#isClosed) throw new GatewayError('not_ready');
    return await this.#in(request, (session) => session.get(request));
  }

  async delete(request: McpRequest): Promise<Reply> {
    return await this.#in(request, async (session) => {
      const reply = await session.delete(request);
      if (reply.status === 200) this.#end(session, 'deleted');
      return reply;
    });
  }

  /** A credential now acts for these agents; ends its sessions that were opened for any other. */
  follow(credentialId: string, agentIds: readonly string[]): void {
    for (const session of [...this.#byId.values()])
      if (session.credentialId === credentialId && !session.isFor(agentIds)) this.#end(session, 'revoked');
  }

  /** Ends all streams but lets pending calls finish; safe to call twice. */
  close(): void {
    this.#isClosed = true;
    for (const session of this.#byId.values()) session.endStream();
  }

  async #open(request: McpRequest, body: unknown): Promise<Reply> {
    this.#makeRoom(request.principal.accountId);
    const session = new McpSession(this.#deps, newId('mcs'), request.principal);
    this.#byId.set(session.id, session);
    try {
      await session.begin();
      return await session.post(request, body);
    } finally {
      // A failed `initialize` leaves no session behind.
      if (!session.isInitialized) this.#byId.delete(session.id);
      else if (this.#byId.has(session.id)) this.#endWhenIdle(session);
    }
  }

  /** Runs `act` in the session that a request names. A foreign session looks like an unknown one. */
  #in(request: McpRequest, act: (session: McpSession) => Reply | Promise<Reply>): Reply | Promise<Reply> {
    const id = request.header('mcp-session-id');
    if (id === '') return rpcError(400, -32_000, 'Bad Request: Mcp-Session-Id header is required');
    const session = this.#byId.get(id);
    if (session === undefined || session.credentialId !== request.principal.credentialId)
      return rpcError(404, -32_001, 'Session not found');
    return act(session);
  }

  #makeRoom(accountId: string): void {
    const own = [...this.#byId.values()].filter((session) => session.accountId === accountId);
    if (own.length < this.#limits.maxPerAccount && this.#byId.size < MAX_SESSIONS) return;
    const [oldest] = own.filter(({ isInUse }) => !isInUse).sort((a, b) => a.usedMs - b.usedMs);
    if (oldest === undefined) {
      this.#counts.refused += 1;
      throw new GatewayError('too_many_sessions');
    }
    this.#end(oldest, 'displaced');
  }

  #endWhenIdle(session: McpSession): void {
    const { clock, deadlines } = this.#deps;
    const { idleMs } = this.#limits;
    const leftMs = session.isInUse ? idleMs : session.usedMs + idleMs - clock.monotonicMs();
    if (leftMs <= 0) this.#end(session, 'idle');
    else
      this.#idleTimers.set(
        session,
        deadlines.after(leftMs, () => this.#endWhenIdle(session)),
      );
  }

  #end(session: McpSession, why: SessionEnd): void {
    if (!this.#byId.delete(session.id)) return;
    this.#idleTimers.get(session)?.();
    this.#idleTimers.delete(session);
    this.#counts.sessionEnded(why);
    session.close().catch(this.#deps.onError);
  }
}
