import { fileURLToPath } from 'node:url';
import {
  Client as ClientV2,
  StreamableHTTPClientTransport as HttpV2,
  type Transport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport as TransportV1 } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { AnyJson } from './any-json.ts';
import { EventLog } from './event-log.ts';

export const SHIM = fileURLToPath(new URL('../../src/mcp-shim/svc-mcp.mjs', import.meta.url));

/** The official clients: the newer one in both generations of the protocol that it speaks, and the older one. */
export const CLIENT_KINDS = ['v2 modern', 'v2 legacy', 'v1'] as const;
export type ClientKind = (typeof CLIENT_KINDS)[number];
export type ClientPath = 'http' | 'shim';

export interface McpClientOptions {
  readonly kind: ClientKind;
  readonly path: ClientPath;
  /** Of the gateway, or of what stands before it. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly isStateful?: boolean;
}

/** A tool's answer, as it came. */
export interface ToolAnswer {
  readonly isError: boolean;
  readonly text: string;
  readonly structured: AnyJson;
}

export interface McpNotice {
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

export interface ListedTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: object;
  readonly outputSchema?: object | undefined;
  readonly annotations?: object | undefined;
}

interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: () => void;
}

/** What a test does with any of the official clients. */
export interface McpClient {
  /** Notifications from the gateway. */
  readonly notices: EventLog<McpNotice>;
  readonly instructions: string | undefined;
  readonly capabilities: Readonly<Record<string, unknown>> | undefined;
  tools(): Promise<readonly ListedTool[]>;
  call(tool: string, input?: Record<string, unknown>, options?: CallOptions): Promise<ToolAnswer>;
  resources(): Promise<readonly string[]>;
  resourceTemplates(): Promise<readonly string[]>;
  /** The text of a resource. */
  read(uri: string): Promise<string>;
  /** Subscribes to changes of a resource; resolves when the gateway agrees. */
  follow(uri: string): Promise<void>;
  close(): Promise<void>;
}

/** Connects an official client to a gateway's `/mcp/` with a key. */
export async function connectMcp(options: McpClientOptions): Promise<McpClient> {
  const { kind, path } = options;
  if (kind === 'v1') {
    const http = () => new HttpV1(urlOf(options), headersOf(options));
    const transport = path === 'http' ? http() : new StdioV1(shimOf(options));
    return await connectV1(transport as TransportV1);
  }
  const http = () => new HttpV2(urlOf(options), headersOf(options));
  const transport = path === 'http' ? http() : new StdioV2(shimOf(options));
  return await connectV2(kind, transport);
}

/** The newer official client over any transport. */
export async function connectV2(kind: 'v2 modern' | 'v2 legacy', transport: Transport): Promise<McpClient> {
  const mode = kind === 'v2 modern' ? { pin: '2026-07-28' } : ('legacy' as const);
  const client = new ClientV2({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  const notices = new EventLog<McpNotice>();
  client.fallbackNotificationHandler = async (notice) => notices.push(notice);
  client.setNotificationHandler('notifications/resources/updated', (notice) => notices.push(notice));
  await client.connect(transport);
  return {
    ...sameOf(client),
    notices,
    call: async (name, input = {}, options = {}) =>
      answerOf(await client.callTool({ name, arguments: input }, options)),
    follow: async (uri) => {
      if (kind === 'v2 modern') await client.listen({ resourceSubscriptions: [uri] });
      else await client.subscribeResource({ uri });
    },
  };
}

/** The older official client over any transport. */
export async function connectV1(transport: TransportV1): Promise<McpClient> {
  const client = new ClientV1({ name: 'test', version: '1' });
  const notices = new EventLog<McpNotice>();
  client.fallbackNotificationHandler = async (notice) => notices.push(notice);
  await client.connect(transport);
  return {
    ...sameOf(client),
    notices,
    call: async (name, input = {}, options = {}) =>
      answerOf(await client.callTool({ name, arguments: input }, undefined, options)),
    follow: async (uri) => void (await client.subscribeResource({ uri })),
  };
}

/** What both official clients call by the same names. */
function sameOf(
  client: ClientV1 | ClientV2,
): Pick<
  McpClient,
  'instructions' | 'capabilities' | 'tools' | 'resources' | 'resourceTemplates' | 'read' | 'close'
> {
  return {
    instructions: client.getInstructions(),
    capabilities: client.getServerCapabilities(),
    tools: async () => (await client.listTools()).tools,
    resources: async () => (await client.listResources()).resources.map(({ uri }) => uri),
    resourceTemplates: async () =>
      (await client.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate),
    read: async (uri) => textOf((await client.readResource({ uri })).contents),
    close: () => client.close(),
  };
}

/** Where a client finds the gateway. */
function urlOf({ baseUrl, isStateful = false }: Pick<McpClientOptions, 'baseUrl' | 'isStateful'>): URL {
  return new URL(isStateful ? '/mcp/?stateful' : '/mcp/', baseUrl);
}

function headersOf({ apiKey }: McpClientOptions): { requestInit: RequestInit } {
  return { requestInit: { headers: { Authorization: `Bearer ${apiKey}` } } };
}

function shimOf({ baseUrl, apiKey, isStateful = false }: McpClientOptions) {
  return {
    command: process.execPath,
    args: [SHIM, ...(isStateful ? ['--stateful'] : [])],
    env: { SVC_URL: baseUrl, SVC_API_KEY: apiKey },
    stderr: 'ignore' as const,
  };
}

function answerOf(result: unknown): ToolAnswer {
  const { content, structuredContent, isError } = result as {
    content: { type: string; text: string }[];
    structuredContent?: unknown;
    isError?: boolean;
  };
  return { isError: isError === true, text: textOf(content), structured: structuredContent };
}

function textOf(contents: readonly object[]): string {
  return contents.map((content) => ('text' in content ? content.text : '')).join('\n');
}
