import { type Reply, type ReplyHeaders, replyBytes } from '../http/reply.ts';
import { MCP_HEADERS, type McpRequest } from './mcp-request.ts';
import { isRecord, plainRequest, type RpcId } from './rpc-message.ts';
import { keptHeaders } from './web-exchange.ts';

/** Requests whose answers are the same for everybody and at all times. */
const CONSTANT: ReadonlySet<string> = new Set([
  'initialize',
  'ping',
  'server/discover',
  'tools/list',
  'resources/templates/list',
]);

const MAX_KNOWN = 500;
/** Nobody asks for more with one of these. */
const MAX_LENGTH = 4_096;
const FRAME_END = '\n\n';

/** A request whose answer may be known. */
export interface ConstantRequest {
  readonly id: RpcId;
  /** All that the answer depends on. */
  readonly key: string;
}

interface KnownAnswer {
  readonly contentType: string;
  readonly headers: ReplyHeaders;
  /** What stands before the id and after it. */
  readonly head: string;
  readonly tail: string;
}

/** Answers of the SDK that are always the same, but for the id of the request. */
export class AnswerMemory {
  readonly #known = new Map<string, KnownAnswer>();

  /** Null: the answer may be another one next time. */
  read(request: McpRequest, body: unknown): ConstantRequest | null {
    const message = plainRequest(body);
    if (message === null || !CONSTANT.has(message.method)) return null;
    const { id, method, params } = message;
    const said = [method, withoutToken(params), ...MCP_HEADERS.map((name) => request.header(name))];
    const key = JSON.stringify(said);
    return key.length > MAX_LENGTH ? null : { id, key };
  }

  find({ id, key }: ConstantRequest): Reply | null {
    const known = this.#known.get(key);
    if (known === undefined) return null;
    const { contentType, headers, head, tail } = known;
    return replyBytes(200, contentType, `${head}${JSON.stringify(id)}${tail}`, headers);
  }

  /** Keeps an answer when it is a good one; the SDK puts the id last. */
  keep({ id, key }: ConstantRequest, response: Response, text: string): void {
    const tail = text.endsWith(FRAME_END) ? `}${FRAME_END}` : '}';
    const end = `,"id":${JSON.stringify(id)}${tail}`;
    if (response.status !== 200 || !text.endsWith(end)) return;
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    const contentType = response.headers.get('content-type') ?? '';
    const head = `${text.slice(0, -end.length)},"id":`;
    this.#known.set(key, { contentType, headers: keptHeaders(response.headers), head, tail });
  }
}

/** Nothing of these tells of its progress, but some clients count their tokens up all the same. */
function withoutToken(params: Readonly<Record<string, unknown>> | undefined): unknown {
  const meta = params?._meta;
  if (!isRecord(meta) || !isTokenOf(meta.progressToken)) return params ?? null;
  const { progressToken, ...others } = meta;
  return { ...params, _meta: others };
}

function isTokenOf(value: unknown): boolean {
  return typeof value === 'string' || Number.isSafeInteger(value);
}
