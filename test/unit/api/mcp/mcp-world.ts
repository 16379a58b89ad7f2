import type { ReadResourceResult } from '@modelcontextprotocol/server';
import { onTestFinished } from 'vitest';
import type { Principal } from '../../../../src/api/auth/principal.ts';
import type { Route } from '../../../../src/api/http/routing/route.ts';
import { mcpPages } from '../../../../src/api/mcp/browser-pages.ts';
import { Cancellations } from '../../../../src/api/mcp/cancellations.ts';
import type { Transcripts } from '../../../../src/api/mcp/mcp-contents.ts';
import { McpEndpoint } from '../../../../src/api/mcp/mcp-endpoint.ts';
import { MCP_HEADERS, McpCounts, McpQuery } from '../../../../src/api/mcp/mcp-request.ts';
import { mcpRoutes } from '../../../../src/api/mcp/mcp-routes.ts';
import { jsonOf } from '../../../../src/api/mcp/rpc-message.ts';
import type { SessionLimits } from '../../../../src/api/mcp/sessions/sessions.ts';
import { StatelessEndpoint } from '../../../../src/api/mcp/stateless-endpoint.ts';
import { streamPlaces } from '../../../../src/api/mcp/stream-places.ts';
import { Deadlines } from '../../../../src/base/deadlines.ts';
import { GatewayError } from '../../../../src/base/errors.ts';
import { messagingWorld } from '../../messaging/messaging-world.ts';
import { served } from '../served.ts';
import { FakeTools } from './fake-tools.ts';

export const TRANSCRIPT = 'svc://calls/call_1/transcript';

/** One transcript of the world's account, hidden from all others. */
export class FakeTranscripts implements Transcripts {
  readonly templates = [{ uriTemplate: 'svc://calls/{call_id}/transcript', name: 'call_transcript' }];
  readonly #accountId: string;
  readonly #watchers = new Set<{ accountId: string; tell: (uri: string) => void }>();

  constructor(accountId: string) {
    this.#accountId = accountId;
  }

  list({ accountId }: { accountId: string }) {
    return accountId === this.#accountId ? [{ uri: TRANSCRIPT, name: 'transcript of call_1' }] : [];
  }

  async read({ accountId }: { accountId: string }, uri: string): Promise<ReadResourceResult> {
    if (accountId !== this.#accountId || uri !== TRANSCRIPT) throw new GatewayError('call_not_found');
    return { contents: [{ uri, mimeType: 'text/plain', text: '[Ann] hello' }] };
  }

  watch({ accountId }: { accountId: string }, tell: (uri: string) => void): () => void {
    const watcher = { accountId, tell };
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  watchList(): () => void {
    return () => {};
  }

  /** A new utterance in the transcript. */
  change(): void {
    for (const { accountId, tell } of [...this.#watchers])
      if (accountId === this.#accountId) tell(TRANSCRIPT);
  }

  get watchers(): number {
    return this.#watchers.size;
  }
}

export interface WorldOptions extends Partial<SessionLimits> {
  readonly fastPath?: boolean;
}

/**
 * The MCP server of a world on a real HTTP server, with minimal tools. `svc_agent` is the key of the world's agent,
 * `svc_model`
 * that of its model, `svc_other` one of another account. `/sdk` answers like `/mcp`, but always by the SDK.
 */
export async function mcpWorld({ fastPath = true, ...limits }: WorldOptions = {}) {
  const world = await messagingWorld();
  const { reading, wakeups, scope, clock } = world;
  const principal: Principal = { ...scope, kind: 'agent', credentialId: 'key_1' };
  const other: Principal = { ...principal, accountId: 'acc_b', credentialId: 'key_2', agentIds: ['agt_b'] };
  const keys = new Map<string, Principal>([
    ['svc_agent', principal],
    ['svc_other', other],
    ['svc_model', { ...principal, kind: 'model', credentialId: 'key_3' }],
  ]);
  const tools = new FakeTools();
  const transcripts = new FakeTranscripts(scope.accountId);
  const cancellations = new Cancellations();
  const deadlines = new Deadlines(clock);
  const contents = { tools, transcripts, cancellations, instructions: 'Be kind.' };
  const counts = new McpCounts();
  const onError = (): void => {};
  /** Tools that the policy of the world's agent does not have. */
  const withheld = new Set<string>();
  const policy = { mayRead: (_agentId: string, tool: string) => !withheld.has(tool), refused: () => {} };
  const endpoint = new McpEndpoint(
    { contents, reading, wakeups, transcripts, deadlines, clock, onError, policy },
    { sessions: { idleMs: 60_000, maxPerAccount: 3, ...limits }, fastPath },
    counts,
  );
  const sdkOnly = new StatelessEndpoint({
    contents,
    fastPath: null,
    counts: new McpCounts(),
    streams: streamPlaces(() => {}),
    onError,
  });
  const address = {
    pages: mcpPages({
      allowedOrigins: ['https://claude.ai'],
      host: '127.0.0.1',
      publicUrl: () => 'https://voice.example.com',
    }),
    metadataUrl: (path: string) => `https://voice.example.com/.well-known/oauth-protected-resource${path}`,
  };
  const server = await served([...mcpRoutes(endpoint, address), sdkRoute(sdkOnly)], {
    authenticate: (credential) => keys.get(credential ?? '') ?? null,
  });
  // Before the server closes, which would otherwise wait for open streams.
  onTestFinished(() => endpoint.close());
  return {
    world,
    endpoint,
    tools,
    withheld,
    transcripts,
    counts,
    principal,
    url: server.url,
    port: server.port,
  };
}

function sdkRoute(sdkOnly: StatelessEndpoint): Route {
  return {
    method: 'post',
    path: '/sdk',
    access: 'mcp',
    operationId: 'sdk',
    summary: 'The same by the SDK',
    tags: [],
    headers: MCP_HEADERS,
    query: McpQuery,
    body: 'raw',
    idempotency: 'none',
    responses: {},
    handler: (request) => sdkOnly.post(request, jsonOf(request.body)),
  };
}
