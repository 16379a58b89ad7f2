import { PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/server';
import { isRecord, type JsonRefused } from '../../base/json.ts';
import type { Reply } from '../http/answer/reply.ts';
import { FastPath } from './fast-path/fast-path.ts';
import type { McpCounts, McpRequest } from './mcp-request.ts';
import { modelContents, type ReadingPolicy } from './model-contents.ts';
import { jsonOf, MODERN_VERSION, rpcError } from './rpc-message.ts';
import { RequestEvents } from './sessions/request-events.ts';
import type { SessionDeps } from './sessions/session.ts';
import { McpSessions, type SessionLimits } from './sessions/sessions.ts';
import { StatelessEndpoint } from './stateless-endpoint.ts';
import { streamPlaces } from './stream-places.ts';
import type { McpTools } from './tools/mcp-tools.ts';

/** Error code of invalid JSON (JSON-RPC 2.0, section 5.1). */
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
/**
 * Only the arguments of a tool may be longer. The SDK passes anything else from stream to stream and says it again in its
 * answer: a name of 900 KB took 42 ms of the main thread.
 */
const MAX_LENGTH = 65_536;
const TOO_LONG = `Only the arguments of a tool may be longer than ${MAX_LENGTH} bytes`;

/** Dependencies of the endpoint. */
export interface McpDeps extends Omit<SessionDeps, 'fastPath' | 'events' | 'streams'> {
  readonly policy: ReadingPolicy;
}

export interface McpOptions {
  readonly sessions: SessionLimits;
  /** Whether common requests bypass the SDK. */
  readonly fastPath: boolean;
}

/** The endpoint behind `/mcp`: stateless requests, and sessions for clients that ask for one. */
export class McpEndpoint {
  readonly #stateless: StatelessEndpoint;
  /** For models behind agents, which act by their replies. */
  readonly #reading: StatelessEndpoint;
  readonly #sessions: McpSessions;
  readonly #tools: McpTools;

  constructor(deps: McpDeps, options: McpOptions, counts: McpCounts) {
    const { contents, deadlines, onError } = deps;
    const { tools, cancellations } = contents;
    this.#tools = tools;
    const fastPath = options.fastPath ? new FastPath({ tools, cancellations, deadlines, counts }) : null;
    const streams = streamPlaces(() => {
      counts.streamsRefused += 1;
    });
    this.#stateless = new StatelessEndpoint({ contents, fastPath, counts, streams, onError });
    const reading = modelContents(contents, deps.policy);
    this.#reading = new StatelessEndpoint({ contents: reading, fastPath: null, counts, streams, onError });
    const events = new RequestEvents();
    this.#sessions = new McpSessions({ ...deps, fastPath, streams, events }, options.sessions, counts);
  }

  /** Number of open sessions. */
  get sessionCount(): number {
    return this.#sessions.count;
  }

  /** Credentials with an open stream or a pending request. */
  users(): ReadonlySet<string> {
    const listeners = [...this.#stateless.listeners(), ...this.#reading.listeners()];
    return new Set([...this.#sessions.users(), ...listeners]);
  }

  /** `bytes`: of the body, where the request's own are gone. */
  post(request: McpRequest, bytes = request.body): Reply | Promise<Reply> {
    let body: unknown;
    try {
      body = bytes && jsonOf(bytes);
    } catch (error) {
      // Refused before the SDK would parse it.
      return rpcError(400, PARSE_ERROR, (error as JsonRefused).message);
    }
    if (bytes && bytes.byteLength > MAX_LENGTH && !this.#callsTool(body))
      return rpcError(413, INVALID_REQUEST, TOO_LONG);
    // The 2026 protocol has no sessions; its clients subscribe with `subscriptions/listen`.
    if (!isStateful(request) || isModern(request, body))
      return this.#statelessFor(request).post(request, body);
    return this.#sessions.post(request, body);
  }

  get(request: McpRequest): Promise<Reply> {
    return isStateful(request)
      ? this.#sessions.get(request)
      : this.#statelessFor(request).bySdk('GET', request);
  }

  delete(request: McpRequest): Promise<Reply> {
    return isStateful(request)
      ? this.#sessions.delete(request)
      : this.#statelessFor(request).bySdk('DELETE', request);
  }

  /** A credential now acts for these agents; for none if it was revoked. Ends its streams for any other agent. */
  follow(credentialId: string, agentIds: readonly string[]): void {
    this.#sessions.follow(credentialId, agentIds);
    this.#stateless.follow(credentialId, agentIds);
    this.#reading.follow(credentialId, agentIds);
  }

  /** Ends all open-ended streams; safe to call twice. */
  close(): void {
    this.#sessions.close();
    this.#stateless.close();
    this.#reading.close();
  }

  #callsTool(body: unknown): boolean {
    if (!isRecord(body) || body.method !== 'tools/call' || !isRecord(body.params)) return false;
    const { name } = body.params;
    return typeof name === 'string' && this.#tools.find(name) !== undefined;
  }

  #statelessFor(request: McpRequest): StatelessEndpoint {
    return isModel(request) ? this.#reading : this.#stateless;
  }
}

/** A model reads what it is told to read. A session would push to it as well. */
function isStateful(request: McpRequest): boolean {
  return request.query.stateful !== undefined && !isModel(request);
}

function isModel({ principal }: McpRequest): boolean {
  return principal.kind === 'model';
}

function isModern(request: McpRequest, body: unknown): boolean {
  if (request.header('mcp-protocol-version') === MODERN_VERSION) return true;
  const params = isRecord(body) ? body.params : undefined;
  return isRecord(params) && isRecord(params._meta) && PROTOCOL_VERSION_META_KEY in params._meta;
}
