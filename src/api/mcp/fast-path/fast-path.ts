import { isRecord } from '../../../base/json.ts';
import { type Reply, type ReplyHeaders, replyBytes } from '../../http/answer/reply.ts';
import { sdkHeader } from '../accept.ts';
import { MCP_HEADERS, type McpCounts, type McpRequest } from '../mcp-request.ts';
import { isRpcId, plainRequest, type RpcId } from '../rpc-message.ts';
import { keptHeaders } from '../sdk/web-exchange.ts';
import { type ToolCallDeps, ToolCalls } from './tool-calls.ts';

export interface FastPathDeps extends ToolCallDeps {
  readonly counts: McpCounts;
}

/**
 * Answers the most common requests without creating a server of the SDK for each, byte for byte as the SDK would. It
 * handles only well-formed requests; everything else is left to the SDK, which also words the errors. The endpoint works
 * the same without it, only slower (`SVC_MCP_FAST_PATH=false`).
 */
export class FastPath {
  readonly #counts: McpCounts;
  readonly #toolCalls: ToolCalls;
  readonly #answers = new AnswerCache();

  constructor(deps: FastPathDeps) {
    this.#counts = deps.counts;
    this.#toolCalls = new ToolCalls(deps);
  }

  /** Answers a request outside sessions. Null: the SDK has to answer. `bySdk` gets an answer that is then cached. */
  answer(request: McpRequest, body: unknown, bySdk: () => Promise<Response>): Reply | Promise<Reply> | null {
    const call = this.#toolCalls.read(request, body);
    if (call !== null) {
      this.#counts.fast += 1;
      return this.#toolCalls.answer(request, call);
    }
    const constant = this.#answers.read(request, body);
    if (constant === null) return null;
    const cached = this.#answers.find(constant);
    if (cached === null) return bySdk().then((response) => this.#answers.keep(constant, response));
    this.#counts.fast += 1;
    return cached;
  }

  /**
   * Answers a tool call inside a session. Null: the SDK has to answer, among others every call that waits or has an
   * effect, because the SDK keeps those answers for clients whose connection breaks.
   */
  answerInSession(request: McpRequest, body: unknown, sessionId: string): Reply | Promise<Reply> | null {
    const call = this.#toolCalls.read(request, body);
    return call !== null && ToolCalls.isRepeatable(call)
      ? this.#toolCalls.answerInSession(request, call, sessionId)
      : null;
  }
}

/** Methods with constant answers that do not depend on the caller. */
const CONSTANT: ReadonlySet<string> = new Set([
  'initialize',
  'ping',
  'server/discover',
  'resources/templates/list',
]);

const MAX_ANSWERS = 500;
/** Longer requests are not cached. */
const MAX_LENGTH = 4_096;
const FRAME_END = '\n\n';

/** A request with a cacheable answer. */
interface ConstantRequest {
  readonly id: RpcId;
  /** Everything that the answer depends on. */
  readonly key: string;
}

interface CachedAnswer {
  readonly contentType: string;
  readonly headers: ReplyHeaders;
  /** The text before the request's id, and after it. */
  readonly head: string;
  readonly tail: string;
}

/** Caches answers of the SDK that differ only in the request's id. */
class AnswerCache {
  readonly #answers = new Map<string, CachedAnswer>();

  /** Null: the answer cannot be cached. */
  read(request: McpRequest, body: unknown): ConstantRequest | null {
    const message = plainRequest(body);
    if (message === null || !CONSTANT.has(message.method)) return null;
    const { id, method, params } = message;
    const headers = MCP_HEADERS.map((name) => sdkHeader(request, name));
    const key = JSON.stringify([method, withoutToken(params), ...headers]);
    return key.length > MAX_LENGTH ? null : { id, key };
  }

  find({ id, key }: ConstantRequest): Reply | null {
    const cached = this.#answers.get(key);
    if (cached === undefined) return null;
    const { contentType, headers, head, tail } = cached;
    return replyBytes(200, contentType, `${head}${JSON.stringify(id)}${tail}`, headers);
  }

  /** Turns the SDK's response into a reply, and caches it if it is a success. The SDK puts the id last. */
  async keep({ id, key }: ConstantRequest, response: Response): Promise<Reply> {
    const text = await response.text();
    const contentType = response.headers.get('content-type') ?? '';
    const headers = keptHeaders(response.headers);
    const tail = text.endsWith(FRAME_END) ? `}${FRAME_END}` : '}';
    const end = `,"id":${JSON.stringify(id)}${tail}`;
    if (response.status === 200 && text.endsWith(end)) {
      if (this.#answers.size >= MAX_ANSWERS) this.#answers.clear();
      const head = `${text.slice(0, -end.length)},"id":`;
      this.#answers.set(key, { contentType, headers, head, tail });
    }
    return replyBytes(response.status, contentType, text, headers);
  }
}

/** These methods report no progress, but some clients send a new token with each request. */
function withoutToken(params: Readonly<Record<string, unknown>> | undefined): unknown {
  const meta = params?._meta;
  if (!isRecord(meta) || !isRpcId(meta.progressToken)) return params ?? null;
  const { progressToken, ...others } = meta;
  return { ...params, _meta: others };
}
