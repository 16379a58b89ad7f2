import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import { assert } from '../../../base/assert.ts';
import { goOn } from '../../../base/now-or-later.ts';
import type { RequestRef } from '../../../store/keys/idempotent-requests.ts';
import type { Principal } from '../../auth/principal.ts';
import { failureReply } from '../../http/answer/error-reply.ts';
import type { JsonReply, Reply } from '../../http/answer/reply.ts';
import { fingerprintOf, type Idempotency, requestRef } from '../../http/idempotency/idempotency.ts';
import type { Route, RouteRequest } from '../../http/routing/route.ts';
import type { Arguments, McpTool, Run, ToolContext, ToolSpec } from './mcp-tool.ts';
import { ToolArguments } from './tool-arguments.ts';
import { answerSchema, describeTool } from './tool-description.ts';
import { toolError, toolResult } from './tool-result.ts';

/** Dependencies of tools, besides their endpoints. */
export interface ToolDeps {
  readonly idempotency: Idempotency;
  /** Called for every internal error; the client gets only the request id. */
  readonly onError: (error: unknown, requestId: string) => void;
}

/** A tool backed by an endpoint of the REST API: the same handler, checks and errors. */
export class RouteTool implements McpTool {
  readonly description: Tool;
  readonly output: z.ZodType;
  readonly #route: Route;
  readonly #deps: ToolDeps;
  readonly #arguments: ToolArguments;
  readonly #run: Run;

  constructor(spec: ToolSpec, route: Route, deps: ToolDeps) {
    this.output = spec.output ?? answerSchema(route);
    this.description = describeTool(spec, route, this.output);
    this.#route = route;
    this.#deps = deps;
    this.#arguments = new ToolArguments(route, spec.takesKey ?? false);
    const run: Run = (context, args) => this.#handle(context, args, null);
    this.#run = spec.wrap?.(run) ?? run;
  }

  call(context: ToolContext, args: unknown = {}): CallToolResult | Promise<CallToolResult> {
    const { requestId } = context;
    const failed = (error: unknown): JsonReply => this.#failure(error, requestId);
    return goOn(this.#answer(context, args, failed), (answer) =>
      answer.status < 400 ? toolResult(answer) : toolError(answer, requestId),
    );
  }

  #answer(
    context: ToolContext,
    args: unknown,
    failed: (error: unknown) => JsonReply,
  ): JsonReply | Promise<JsonReply> {
    try {
      const taken = this.#arguments.read(args);
      const ref = requestRef(context.principal, taken.key);
      const answer = ref === null ? this.#run(context, taken) : this.#once(context, taken, ref);
      return answer instanceof Promise ? answer.catch(failed) : answer;
    } catch (error) {
      return failed(error);
    }
  }

  /** Runs the call once per key, and returns the first answer again. */
  async #once(context: ToolContext, args: Arguments, ref: RequestRef): Promise<JsonReply> {
    const { idempotency: resumption } = this.#route;
    const asked = Buffer.from(JSON.stringify([args.params, args.query, args.body]));
    const fingerprint = fingerprintOf(this.description.name, asked);
    const keyed = { ref, fingerprint, resumes: resumption === 'resumed' };
    return asJson(
      await this.#deps.idempotency.once(keyed, async () => await this.#handle(context, args, ref)),
    );
  }

  #handle(
    context: ToolContext,
    args: Arguments,
    idempotency: RequestRef | null,
  ): JsonReply | Promise<JsonReply> {
    const request = requestOf(context, this.#route.path, args, idempotency);
    return goOn(this.#route.handler(request), asJson);
  }

  #failure(error: unknown, requestId: string): JsonReply {
    const failure = failureReply(error);
    if (failure.status === 500) this.#deps.onError(error, requestId);
    return failure;
  }
}

/** A tool call as a request to its endpoint. */
function requestOf(
  context: ToolContext,
  path: string,
  { params, query, body }: Arguments,
  idempotency: RequestRef | null,
): RouteRequest<Principal> {
  const { principal, requestId } = context;
  const nothing = { search: '', address: '', isHead: false, header: () => '' };
  return {
    ...{ principal, requestId, path, params, query, body, idempotency, ...nothing },
    // Created on demand, because only endpoints that wait read it.
    get signal() {
      return context.signal;
    },
  };
}

function asJson(answer: Reply): JsonReply {
  assert(answer.kind === 'json', 'a tool answers with JSON');
  return answer;
}
