import type { AccountDomain } from '../accounts/account/account-domain.ts';
import type { Idempotency } from '../api/http/idempotency/idempotency.ts';
import { Cancellations } from '../api/mcp/cancellations.ts';
import { INSTRUCTIONS } from '../api/mcp/mcp-contents.ts';
import { McpEndpoint } from '../api/mcp/mcp-endpoint.ts';
import type { McpCounts } from '../api/mcp/mcp-request.ts';
import { mcpTools } from '../api/mcp/tools/mcp-tools.ts';
import { TranscriptResource } from '../api/mcp/transcript-resource.ts';
import { Deadlines } from '../base/deadlines.ts';
import { findPolicy } from '../store/agents/agent-policies.ts';
import type { PartDeps } from './gateway-deps.ts';
import type { Domains } from './routes.ts';

export interface McpEndpointNeeds extends Pick<Domains, 'calls' | 'files' | 'inbox' | 'outbound'> {
  readonly accounts: AccountDomain;
  readonly idempotency: Idempotency;
}

/** Assembles the MCP endpoint. Importing this module loads the SDK. */
export function openMcpEndpoint(
  { settings, clock, loggers, wakeups, publicUrl, store, metrics }: PartDeps,
  needs: McpEndpointNeeds,
  counts: McpCounts,
): McpEndpoint {
  const { calls, inbox } = needs;
  const { sessionIdleMs, sessionsPerAccount, fastPath } = settings.mcp;
  const cancellations = new Cancellations();
  const transcripts = new TranscriptResource(calls);
  const deadlines = new Deadlines(clock);
  const onError = (error: unknown, requestId: string): void =>
    loggers.http.error({ err: error, requestId }, 'MCP tool failed');
  const tools = mcpTools({ ...needs, publicUrl, onError });
  return new McpEndpoint(
    {
      contents: { tools, transcripts, instructions: INSTRUCTIONS, cancellations },
      reading: inbox,
      wakeups,
      transcripts,
      deadlines,
      clock,
      policy: {
        mayRead: async (agentId, tool) =>
          (await findPolicy(store.db, agentId)).readingTools?.includes(tool) ?? true,
        refused: (tool) => metrics.modelRefused(tool),
      },
      // Mostly client errors, which the SDK reports to the client.
      onError: (error) => loggers.http.debug({ err: error }, 'MCP SDK error'),
    },
    { sessions: { idleMs: sessionIdleMs, maxPerAccount: sessionsPerAccount }, fastPath },
    counts,
  );
}
