import { PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/server';
import type { JsonTooDeep } from '../../base/json.ts';
import type { Reply } from '../http/reply.ts';
import type { McpCounts } from './mcp-counts.ts';
import type { McpRequest } from './mcp-request.ts';
import { MODERN_VERSION, QuickAnswers } from './quick-answers.ts';
import { RequestEvents } from './request-events.ts';
import { isRecord, jsonOf, rpcError } from './rpc-message.ts';
import type { SessionParts } from './session.ts';
import { McpSessions, type SessionLimits } from './sessions.ts';
import { StatelessDoor } from './stateless-door.ts';
import { streamPlaces } from './stream-place.ts';

/** JSON-RPC 2.0, section 5.1. */
const PARSE_ERROR = -32_700;

/** What the MCP server is made from. */
export type McpParts = Omit<SessionParts, 'quick' | 'events' | 'streams'>;

/** Everything behind `/mcp`: requests that stand alone, and sessions for clients that ask for one. */
export class McpDoor {
  readonly #stateless: StatelessDoor;
  readonly #sessions: McpSessions;

  constructor(parts: McpParts, limits: SessionLimits, counts: McpCounts) {
    const quick = new QuickAnswers(parts.contents.tools, parts.waiting);
    const { contents, waiting, onError } = parts;
    const streams = streamPlaces(() => {
      counts.streamsRefused += 1;
    });
    this.#stateless = new StatelessDoor({ contents, waiting, quick, counts, streams, onError });
    this.#sessions = new McpSessions(
      { ...parts, quick, streams, events: new RequestEvents() },
      limits,
      counts,
    );
  }

  /** Sessions that are open now. */
  get sessionCount(): number {
    return this.#sessions.count;
  }

  /** Credentials of those who listen now, or wait for an answer. */
  users(): ReadonlySet<string> {
    return new Set([...this.#sessions.users(), ...this.#stateless.listeners()]);
  }

  post(request: McpRequest): Reply | Promise<Reply> {
    let body: unknown;
    try {
      body = request.body && jsonOf(request.body);
    } catch (error) {
      // Not even the SDK gets to parse it.
      return rpcError(400, PARSE_ERROR, (error as JsonTooDeep).message);
    }
    // The protocol of 2026 has no sessions; its clients listen by a request of its own.
    if (!isStateful(request) || isModern(request, body)) return this.#stateless.post(request, body);
    return this.#sessions.post(request, body);
  }

  get(request: McpRequest): Promise<Reply> {
    return isStateful(request) ? this.#sessions.get(request) : this.#stateless.bySdk('GET', request);
  }

  delete(request: McpRequest): Promise<Reply> {
    return isStateful(request) ? this.#sessions.delete(request) : this.#stateless.bySdk('DELETE', request);
  }

  /** A credential acts for these agents from now on, for none when it lets nobody in any more. */
  follow(credentialId: string, agentIds: readonly string[]): void {
    this.#sessions.follow(credentialId, agentIds);
    this.#stateless.follow(credentialId, agentIds);
  }

  /** Ends all streams that would go on for ever; safe to call twice. */
  close(): void {
    this.#sessions.close();
    this.#stateless.close();
  }
}

function isStateful({ query }: McpRequest): boolean {
  return query.stateful !== undefined;
}

function isModern(request: McpRequest, body: unknown): boolean {
  if (request.header('mcp-protocol-version') === MODERN_VERSION) return true;
  const params = isRecord(body) ? body.params : undefined;
  return isRecord(params) && isRecord(params._meta) && PROTOCOL_VERSION_META_KEY in params._meta;
}
