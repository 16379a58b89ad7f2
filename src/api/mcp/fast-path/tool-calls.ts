import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  classifyInboundRequest,
  PROTOCOL_VERSION_META_KEY,
  SERVER_INFO_META_KEY,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server';
import { isRecord } from '../../../base/json.ts';
import { type Bytes, type Reply, replyBytes } from '../../http/answer/reply.ts';
import { acceptedBy } from '../accept.ts';
import { SERVER_INFO } from '../mcp-contents.ts';
import { type McpRequest, SESSION_HEADER } from '../mcp-request.ts';
import {
  EVENT_HEAD,
  EVENT_TAIL,
  EVENTS_HEADERS,
  EVENTS_TYPE,
  hasOnly,
  isRpcId,
  JSON_TYPE,
  MODERN_VERSION,
  plainRequest,
  type RpcId,
} from '../rpc-message.ts';
import type { McpTool } from '../tools/mcp-tool.ts';
import type { McpTools } from '../tools/mcp-tools.ts';
import { resultJson } from '../tools/tool-result.ts';
import { FastCall, type FastCallDeps } from './fast-call.ts';

export interface ToolCallDeps extends FastCallDeps {
  readonly tools: McpTools;
}

/** A well-formed `tools/call`. */
interface PlainCall {
  readonly id: RpcId;
  readonly tool: McpTool;
  readonly args: unknown;
  readonly progressToken: unknown;
  /** Uses the 2026 protocol, in which every request describes its client. */
  readonly isModern: boolean;
}

const LEGACY_VERSIONS: ReadonlySet<string> = new Set(SUPPORTED_PROTOCOL_VERSIONS);
const CALL_KEYS: ReadonlySet<string> = new Set(['name', 'arguments', '_meta']);
const RESERVED_PREFIX = 'io.modelcontextprotocol/';
const MODERN_META = { [SERVER_INFO_META_KEY]: SERVER_INFO };
const MODERN_TAIL = `,"resultType":"complete","_meta":${JSON.stringify(MODERN_META)}}`;

/** A JSON-RPC answer as it is, and as an event of a stream. */
const BARE = { before: '', after: '' };
const EVENT = { before: EVENT_HEAD, after: EVENT_TAIL };

/** Runs well-formed tool calls and encodes their results as the SDK would. */
export class ToolCalls {
  readonly #deps: ToolCallDeps;
  readonly #envelopes = new EnvelopeCache();
  readonly #results = new ResultCache();

  constructor(deps: ToolCallDeps) {
    this.#deps = deps;
  }

  /** Null: the SDK has to answer. */
  read(request: McpRequest, body: unknown): PlainCall | null {
    const message = plainRequest(body);
    if (message?.method !== 'tools/call' || message.params === undefined) return null;
    if (!isUsual(request)) return null;
    const { id, params } = message;
    const { name, arguments: args, _meta: meta } = params;
    if (!hasOnly(params, CALL_KEYS) || typeof name !== 'string') return null;
    if ('arguments' in params && !isRecord(args)) return null;
    if ('_meta' in params && !isRecord(meta)) return null;
    const tool = this.#deps.tools.find(name);
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
    const call = new FastCall(
      {
        request,
        id,
        owner: request.principal.credentialId,
        isStateful: false,
        progressToken,
        encode: (result) =>
          isModern ? this.#modernAnswer(tool, id, result) : this.#legacyAnswer(tool, id, result),
        whole: (result) =>
          isModern
            ? replyBytes(200, JSON_TYPE, this.#modernAnswer(tool, id, result))
            : replyBytes(200, EVENTS_TYPE, this.#legacyBody(tool, id, result, EVENT), EVENTS_HEADERS),
      },
      this.#deps,
    );
    return call.answer(tool.call(call, args));
  }

  /** Answers a call inside a session, in which only the older protocol exists. */
  answerInSession(
    request: McpRequest,
    { id, tool, args, progressToken }: PlainCall,
    sessionId: string,
  ): Reply | Promise<Reply> {
    const headers = { [SESSION_HEADER]: sessionId };
    const call = new FastCall(
      {
        request,
        id,
        owner: sessionId,
        isStateful: true,
        progressToken,
        encode: (result) => this.#legacyAnswer(tool, id, result),
        whole: (result) => replyBytes(200, JSON_TYPE, this.#legacyBody(tool, id, result), headers),
      },
      this.#deps,
    );
    return call.answer(tool.call(call, args));
  }

  /** Whether a client that loses the answer can simply ask again. */
  static isRepeatable({ tool, args, isModern }: PlainCall): boolean {
    const waits = isRecord(args) && Boolean(args.wait);
    return !isModern && !waits && tool.description.annotations?.readOnlyHint === true;
  }

  /** The JSON-RPC response in the older protocol. */
  #legacyAnswer(tool: McpTool, id: RpcId, result: CallToolResult): string {
    return `{"result":${this.#results.json(tool, result)}${legacyTail(id)}`;
  }

  /** The same between two texts; in pieces if the result's bytes are cached. */
  #legacyBody(tool: McpTool, id: RpcId, result: CallToolResult, { before, after } = BARE): Bytes {
    const head = this.#results.head(tool, result);
    if (head === null) return `${before}${this.#legacyAnswer(tool, id, result)}${after}`;
    return before === '' ? [head, `${legacyTail(id)}${after}`] : [before, head, `${legacyTail(id)}${after}`];
  }

  /** In the 2026 protocol every result names the server and says that it is complete. */
  #modernAnswer(tool: McpTool, id: RpcId, result: CallToolResult): string {
    return `{"result":${this.#modernResult(tool, result)},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`;
  }

  #modernResult(tool: McpTool, result: CallToolResult): string {
    if (result._meta === undefined) return `${this.#results.json(tool, result).slice(0, -1)}${MODERN_TAIL}`;
    return JSON.stringify({ ...result, resultType: 'complete', _meta: { ...result._meta, ...MODERN_META } });
  }

  /** Which protocol a request uses; null: the SDK has to decide. */
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

/** Whether the SDK would take the request's headers. */
function isUsual(request: McpRequest): boolean {
  const { json, events } = acceptedBy(request);
  return request.header('content-type') === JSON_TYPE && (json || events);
}

function isLegacyMeta(meta: Meta): boolean {
  for (const key in meta) if (key.startsWith(RESERVED_PREFIX)) return false;
  return !('progressToken' in meta) || isRpcId(meta.progressToken);
}

function legacyTail(id: RpcId): string {
  return `,"jsonrpc":"2.0","id":${JSON.stringify(id)}}`;
}

const MAX_ENVELOPES = 1_000;
/** Longer envelopes are left to the SDK. */
const MAX_ENVELOPE_LENGTH = 4_096;

/** The client descriptions that come with every request of the 2026 protocol; each is validated by the SDK once. */
class EnvelopeCache {
  readonly #valid = new Set<string>();

  isValid({ progressToken, ...envelope }: Meta): boolean {
    if (progressToken !== undefined && !isRpcId(progressToken)) return false;
    const text = JSON.stringify(envelope);
    if (this.#valid.has(text)) return true;
    if (text.length > MAX_ENVELOPE_LENGTH || !isAccepted(envelope)) return false;
    if (this.#valid.size >= MAX_ENVELOPES) this.#valid.clear();
    this.#valid.add(text);
    return true;
  }
}

function isAccepted(envelope: Meta): boolean {
  const body = { jsonrpc: '2.0', id: 0, method: 'ping', params: { _meta: envelope } };
  const protocolVersionHeader = envelope[PROTOCOL_VERSION_META_KEY] as string;
  return classifyInboundRequest({ httpMethod: 'POST', protocolVersionHeader, body }).kind === 'modern';
}

/** Longer results rarely repeat. */
const MAX_RESULT_LENGTH = 16_384;
/** Together with the rest of the answer this fits into the 16 KiB that the HTTP library sends at once. */
const MAX_HEAD_BYTES = 12_000;

interface LastResult {
  readonly text: string;
  readonly json: string;
  /** The answer up to the end of the result, encoded when the result has repeated once. */
  bytes: Uint8Array | null;
}

/** The last result of each tool as JSON: agents poll, and most results have not changed. */
class ResultCache {
  readonly #last = new Map<McpTool, LastResult>();

  json(tool: McpTool, result: CallToolResult): string {
    return this.#find(tool, result)?.json ?? this.#keep(tool, result);
  }

  /** The start of the answer, `{"result":…`, as shared bytes. Null: the result has not repeated, or is too long. */
  head(tool: McpTool, result: CallToolResult): Uint8Array | null {
    const last = this.#find(tool, result);
    if (last === null) return null;
    last.bytes ??= Buffer.from(`{"result":${last.json}`);
    return last.bytes.byteLength > MAX_HEAD_BYTES ? null : last.bytes;
  }

  #find(tool: McpTool, result: CallToolResult): LastResult | null {
    const last = this.#last.get(tool);
    return last !== undefined && last.text === textOf(result) ? last : null;
  }

  #keep(tool: McpTool, result: CallToolResult): string {
    const json = resultJson(result);
    const text = textOf(result);
    if (text !== null) this.#last.set(tool, { text, json, bytes: null });
    return json;
  }
}

/** The text that identifies a result; null if it is not cached. */
function textOf({ isError, content: [first] }: CallToolResult): string | null {
  return isError || first?.type !== 'text' || first.text.length > MAX_RESULT_LENGTH ? null : first.text;
}
