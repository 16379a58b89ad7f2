import type { Deadlines } from '../../../base/deadlines.ts';
import type { Reply } from '../../http/answer/reply.ts';
import type { Cancellations } from '../cancellations.ts';
import type { McpCounts, McpRequest } from '../mcp-request.ts';
import type { McpTools } from '../tools/mcp-tools.ts';
import { AnswerCache } from './answer-cache.ts';
import { ToolCalls } from './tool-calls.ts';

export interface FastPathDeps {
  readonly tools: McpTools;
  readonly cancellations: Cancellations;
  readonly deadlines: Deadlines;
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

  constructor({ tools, cancellations, deadlines, counts }: FastPathDeps) {
    this.#counts = counts;
    this.#toolCalls = new ToolCalls(tools, { cancellations, deadlines });
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
