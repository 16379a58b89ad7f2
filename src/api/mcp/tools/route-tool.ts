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
export function routeTool(spec: ToolSpec, endpoint: Route, { idempotency, onError }: ToolDeps): McpTool {
  const { query, ...withoutQuery } = endpoint;
  const route: Route = spec.takesNoQuery ? withoutQuery : endpoint;
  /** Of an endpoint whose query parameters the tool does not take. */
  const defaultQuery = spec.takesNoQuery ? query?.parse({}) : undefined;
  const output = spec.output ?? answerSchema(route);
  const description = describeTool(spec, route, output);
  const taken = new ToolArguments(route, spec.takesKey ?? false);
  const handle = (context: ToolContext, args: Arguments, ref: RequestRef | null) =>
    goOn(
      route.handler(
        new ToolRequest(context, route.path, { ...args, query: args.query ?? defaultQuery }, ref),
      ),
      asJson,
    );
  const run: Run = (context, args) => handle(context, args, null);
  const wrapped = spec.wrap?.(run) ?? run;
  /** Runs the call once per key, and returns the first answer again. */
  const once = async (context: ToolContext, args: Arguments, ref: RequestRef): Promise<JsonReply> => {
    const asked = Buffer.from(JSON.stringify([args.params, args.query, args.body]));
    const resumes = route.idempotency === 'resumed';
    const keyed = { ref, fingerprint: fingerprintOf(description.name, asked), resumes };
    return asJson(await idempotency.once(keyed, async () => await handle(context, args, ref)));
  };
  const answer = (context: ToolContext, given: unknown): JsonReply | Promise<JsonReply> => {
    const failed = (error: unknown): JsonReply => {
      const failure = failureReply(error);
      if (failure.status === 500) onError(error, context.requestId);
      return failure;
    };
    try {
      const args = taken.read(given);
      const ref = requestRef(context.principal, args.key);
      const answered = ref === null ? wrapped(context, args) : once(context, args, ref);
      return answered instanceof Promise ? answered.catch(failed) : answered;
    } catch (error) {
      return failed(error);
    }
  };
  return {
    description,
    output,
    call: (context, args = {}) =>
      goOn(answer(context, args), (answered) =>
        answered.status < 400 ? toolResult(answered) : toolError(answered, context.requestId),
      ),
  };
}

/** A tool call as a request to its endpoint. */
/**
 * A tool call as its endpoint sees it. An object literal with a getter would have a hidden class of its own for each call,
 * which keeps all that the getter refers to until a full garbage collection.
 */
class ToolRequest implements RouteRequest<Principal> {
  readonly path: string;
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly idempotency: RequestRef | null;
  readonly search = '';
  readonly address = '';
  readonly isHead = false;
  readonly #context: ToolContext;

  constructor(
    context: ToolContext,
    path: string,
    { params, query, body }: Arguments,
    idempotency: RequestRef | null,
  ) {
    this.path = path;
    this.params = params;
    this.query = query;
    this.body = body;
    this.idempotency = idempotency;
    this.#context = context;
  }

  get principal(): Principal {
    return this.#context.principal;
  }

  get requestId(): string {
    return this.#context.requestId;
  }

  /** Created on demand, because only endpoints that wait read it. */
  get signal(): AbortSignal {
    return this.#context.signal;
  }

  header(): string {
    return '';
  }
}

function asJson(answer: Reply): JsonReply {
  assert(answer.kind === 'json', 'a tool answers with JSON');
  return answer;
}
