import {
  type jsonSchemaValidator,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type ServerCapabilities,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { GatewayError } from '../../../base/errors.ts';
import type { Principal } from '../../auth/principal.ts';
import { CallSignal, type Cancellations } from '../cancellations.ts';
import {
  type Caller,
  callerOf,
  type McpContents,
  SERVER_INFO,
  type Served,
  type Subscriptions,
  type Transcripts,
} from '../mcp-contents.ts';
import type { ToolContext } from '../tools/mcp-tool.ts';

/** The pushes that one client delivers to its model. */
const CHANNEL_CAPABILITY = { 'claude/channel': {} } as const;

/** Only elicitation forms use it, and we send none; creating the default one takes long. */
const NO_VALIDATOR: jsonSchemaValidator = {
  getValidator: () => () => ({ valid: false, data: undefined, errorMessage: 'no form was requested' }),
};

/** Creates an SDK server. Each request brings its own caller. */
export function mcpServer(contents: McpContents, served: Served): Server {
  const server = new Server(SERVER_INFO, {
    capabilities: capabilitiesOf(served),
    instructions: contents.instructions,
    jsonSchemaValidator: NO_VALIDATOR,
  });
  handleTools(server, contents, served);
  handleResources(server, contents.transcripts);
  if (served.subscriptions) handleSubscriptions(server, contents.transcripts, served.subscriptions);
  return server;
}

function capabilitiesOf({ updates }: Served): ServerCapabilities {
  const hears = updates === 'none' ? {} : { subscribe: true, listChanged: true };
  const pushes = updates === 'session' ? { experimental: CHANNEL_CAPABILITY } : {};
  return { tools: {}, resources: hears, ...pushes };
}

function handleTools(server: Server, { tools, cancellations }: McpContents, served: Served): void {
  server.setRequestHandler('tools/list', async (_request, context) => ({
    tools: [...(await tools.list(callerOf(context).principal))],
  }));
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const tool = tools.find(params.name);
    if (tool === undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Tool ${params.name} not found`);
    const call = new SdkCall(cancellations, served, context);
    try {
      return await tool.call(call, params.arguments);
    } finally {
      call.end();
    }
  });
}

function handleResources(server: Server, transcripts: Transcripts): void {
  server.setRequestHandler('resources/list', async (_request, context) => ({
    resources: [...(await transcripts.list(callerOf(context).principal))],
  }));
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [...transcripts.templates],
  }));
  server.setRequestHandler('resources/read', async ({ params: { uri } }, context) =>
    orNotFound(uri, () => transcripts.read(callerOf(context).principal, uri)),
  );
}

function handleSubscriptions(server: Server, transcripts: Transcripts, subscriptions: Subscriptions): void {
  server.setRequestHandler('resources/subscribe', async ({ params: { uri } }, context) => {
    // Refuses resources that the caller may not read.
    await orNotFound(uri, () => transcripts.read(callerOf(context).principal, uri));
    subscriptions.add(uri);
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', ({ params }) => {
    subscriptions.delete(params.uri);
    return {};
  });
}

async function orNotFound<Found>(uri: string, find: () => Found | Promise<Found>): Promise<Found> {
  try {
    return await find();
  } catch (error) {
    if (error instanceof GatewayError && error.status === 404) throw new ResourceNotFoundError(uri);
    throw error;
  }
}

/** A tool call that the SDK received. */
class SdkCall implements ToolContext {
  readonly principal: Principal;
  readonly requestId: string;
  readonly isStateful: boolean;
  readonly #request: ServerContext['mcpReq'];
  readonly #withhold: Caller['withhold'];
  readonly #cancelling: CallSignal;
  #steps = 0;

  constructor(cancellations: Cancellations, { owner, updates }: Served, context: ServerContext) {
    const { principal, requestId, withhold } = callerOf(context);
    this.principal = principal;
    this.requestId = requestId;
    this.isStateful = updates === 'session';
    this.#request = context.mcpReq;
    this.#withhold = withhold;
    const { id, signal } = context.mcpReq;
    this.#cancelling = new CallSignal(cancellations, owner, id, () => signal);
  }

  get signal(): AbortSignal {
    return this.#cancelling.signal;
  }

  /** Only sent if the client gave a progress token. */
  progress(message: string): void {
    const progressToken = this.#request._meta?.progressToken;
    if (progressToken === undefined) return;
    this.#steps += 1;
    const params = { progressToken, progress: this.#steps, message };
    this.#request.notify({ method: 'notifications/progress', params }).catch(() => {
      // The client disconnected; the tool sees that by the call's signal.
    });
  }

  /** Must be called before the result is passed to the SDK. */
  end(): void {
    this.#cancelling.end();
    if (this.#cancelling.isCancelled) this.#withhold(this.#request.id);
  }
}
