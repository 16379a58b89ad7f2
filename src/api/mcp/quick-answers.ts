import type { CallToolResult } from '@modelcontextprotocol/server';
import {
  CLIENT_CAPABILITIES_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  SERVER_INFO_META_KEY,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server';
import { type Bytes, type Reply, replyBytes } from '../http/reply.ts';
import { EnvelopeMemory } from './envelope-memory.ts';
import type { McpRequest } from './mcp-request.ts';
import { QuickCall, type Waiting } from './quick-call.ts';
import { ResultMemory } from './result-memory.ts';
import {
  EVENT_HEAD,
  EVENT_TAIL,
  EVENTS_HEADERS,
  EVENTS_TYPE,
  hasOnly,
  isRecord,
  isRpcId,
  JSON_TYPE,
  plainRequest,
  type RpcId,
} from './rpc-message.ts';
import { SERVER_INFO } from './served.ts';
import type { McpTool } from './tools/mcp-tool.ts';
import type { McpTools } from './tools/mcp-tools.ts';

/** A call of a tool with nothing unusual about it. */
export interface PlainCall {
  readonly id: RpcId;
  readonly tool: McpTool;
  readonly args: unknown;
  readonly progressToken: unknown;
  /** Of the protocol of 2026, where every request says what the client is. */
  readonly isModern: boolean;
}

export const MODERN_VERSION = '2026-07-28';
const LEGACY_VERSIONS: ReadonlySet<string> = new Set(SUPPORTED_PROTOCOL_VERSIONS);
const CALL_KEYS: ReadonlySet<string> = new Set(['name', 'arguments', '_meta']);
const RESERVED_PREFIX = 'io.modelcontextprotocol/';
const MODERN_META = { [SERVER_INFO_META_KEY]: SERVER_INFO };
const MODERN_TAIL = `,"resultType":"complete","_meta":${JSON.stringify(MODERN_META)}}`;

/**
 * Answers calls of tools as a server of the SDK would, to the byte, without making one for each. It steps aside for
 * everything that is not plainly right: what is wrong, and how, is for the SDK to say.
 */
export class QuickAnswers {
  readonly #tools: McpTools;
  readonly #waiting: Waiting;
  readonly #envelopes = new EnvelopeMemory();
  readonly #results = new ResultMemory();

  constructor(tools: McpTools, waiting: Waiting) {
    this.#tools = tools;
    this.#waiting = waiting;
  }

  /** Null: the SDK has to look at it. */
  read(request: McpRequest, body: unknown): PlainCall | null {
    const message = plainRequest(body);
    if (message?.method !== 'tools/call' || message.params === undefined) return null;
    if (!acceptsBoth(request)) return null;
    const { id, params } = message;
    const { name, arguments: args, _meta: meta } = params;
    if (!hasOnly(params, CALL_KEYS) || typeof name !== 'string') return null;
    if ('arguments' in params && !isRecord(args)) return null;
    if ('_meta' in params && !isRecord(meta)) return null;
    const tool = this.#tools.find(name);
    const era = tool && this.#eraOf(request, name, meta as Meta | undefined);
    if (!tool || !era) return null;
    const progressToken = isRecord(meta) ? meta.progressToken : undefined;
    return { id, tool, args, progressToken, isModern: era === 'modern' };
  }

  /** Answers a call outside sessions. */
  answer(
    request: McpRequest,
    { id, tool, args, progressToken, isModern }: PlainCall,
  ): Reply | Promise<Reply> {
    const call = new QuickCall(
      {
        request,
        id,
        owner: request.principal.credentialId,
        isStateful: false,
        progressToken,
        encode: (result) =>
          isModern ? this.#modernAnswer(tool, id, result) : this.legacyAnswer(tool, id, result),
        whole: (result) =>
          isModern
            ? replyBytes(200, JSON_TYPE, this.#modernAnswer(tool, id, result))
            : replyBytes(
                200,
                EVENTS_TYPE,
                this.legacyBody(tool, id, result, EVENT_HEAD, EVENT_TAIL),
                EVENTS_HEADERS,
              ),
      },
      this.#waiting,
    );
    return call.answer(tool.call(call, args));
  }

  /** The answer of a call as JSON-RPC, as it was before 2026. */
  legacyAnswer(tool: McpTool, id: RpcId, result: CallToolResult): string {
    return `{"result":${this.#results.json(tool, result)}${legacyTail(id)}`;
  }

  /** The same between two texts, in pieces where the long one is sent again and again. */
  legacyBody(tool: McpTool, id: RpcId, result: CallToolResult, before = '', after = ''): Bytes {
    const head = this.#results.head(tool, result);
    if (head === null) return `${before}${this.legacyAnswer(tool, id, result)}${after}`;
    return before === '' ? [head, `${legacyTail(id)}${after}`] : [before, head, `${legacyTail(id)}${after}`];
  }

  /** Now every answer says what the server is, and that it is complete. */
  #modernAnswer(tool: McpTool, id: RpcId, result: CallToolResult): string {
    return `{"result":${this.#modernResult(tool, result)},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`;
  }

  #modernResult(tool: McpTool, result: CallToolResult): string {
    if (result._meta === undefined) return `${this.#results.json(tool, result).slice(0, -1)}${MODERN_TAIL}`;
    const _meta = { ...result._meta, ...MODERN_META };
    return JSON.stringify({ ...result, resultType: 'complete', _meta });
  }

  /** Which of the two generations a request is of; null: it is not plain. */
  #eraOf(request: McpRequest, name: string, meta: Meta | undefined): 'legacy' | 'modern' | null {
    const version = request.header('mcp-protocol-version');
    if (version === MODERN_VERSION) return this.#isModern(request, name, meta) ? 'modern' : null;
    const isLegacy = version === '' || LEGACY_VERSIONS.has(version);
    return isLegacy && (meta === undefined || isLegacyMeta(meta)) ? 'legacy' : null;
  }

  #isModern(request: McpRequest, name: string, meta: Meta | undefined): boolean {
    return (
      meta?.[PROTOCOL_VERSION_META_KEY] === MODERN_VERSION &&
      isRecord(meta[CLIENT_CAPABILITIES_META_KEY]) &&
      request.header('mcp-method') === 'tools/call' &&
      request.header('mcp-name') === name &&
      this.#envelopes.isValid(meta)
    );
  }
}

type Meta = Readonly<Record<string, unknown>>;

/** Clients send both types in one of few ways. */
function acceptsBoth(request: McpRequest): boolean {
  const accept = request.header('accept');
  return (
    request.header('content-type') === JSON_TYPE && accept.includes(JSON_TYPE) && accept.includes(EVENTS_TYPE)
  );
}

function isLegacyMeta(meta: Meta): boolean {
  for (const key in meta) if (key.startsWith(RESERVED_PREFIX)) return false;
  return !('progressToken' in meta) || isRpcId(meta.progressToken);
}

function legacyTail(id: RpcId): string {
  return `,"jsonrpc":"2.0","id":${JSON.stringify(id)}}`;
}
