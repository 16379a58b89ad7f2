import {
  type jsonSchemaValidator,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type ServerCapabilities,
} from '@modelcontextprotocol/server';
import { GatewayError } from '../../base/errors.ts';
import { SdkCall } from './sdk-call.ts';
import {
  askingOf,
  type McpContents,
  SERVER_INFO,
  type Served,
  type Subscriptions,
  type Transcripts,
} from './served.ts';

/** Pushes as one assistant takes them up. */
const CHANNEL_CAPABILITY = { 'claude/channel': {} } as const;

/** Only forms that servers ask people to fill in are checked by it, and none is; the usual one takes long to make. */
const NO_VALIDATOR: jsonSchemaValidator = {
  getValidator: () => () => ({ valid: false, data: undefined, errorMessage: 'no form was asked for' }),
};

/** A server of the SDK. Who asks comes with every request. */
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
  server.setRequestHandler('tools/list', () => ({ tools: [...tools.descriptions] }));
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
    resources: [...(await transcripts.list(askingOf(context).principal))],
  }));
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [...transcripts.templates],
  }));
  server.setRequestHandler('resources/read', async ({ params: { uri } }, context) =>
    orNotFound(uri, () => transcripts.read(askingOf(context).principal, uri)),
  );
}

function handleSubscriptions(server: Server, transcripts: Transcripts, subscriptions: Subscriptions): void {
  server.setRequestHandler('resources/subscribe', async ({ params: { uri } }, context) => {
    // Nobody hears of what they may not read.
    await orNotFound(uri, () => transcripts.read(askingOf(context).principal, uri));
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
