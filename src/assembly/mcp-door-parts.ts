import type { AccountDomain } from '../accounts/account-domain.ts';
import type { Idempotency } from '../api/http/idempotency.ts';
import { Cancellations } from '../api/mcp/cancellations.ts';
import { INSTRUCTIONS } from '../api/mcp/instructions.ts';
import type { McpCounts } from '../api/mcp/mcp-counts.ts';
import { McpDoor } from '../api/mcp/mcp-door.ts';
import { mcpTools } from '../api/mcp/tools/mcp-tools.ts';
import { TranscriptResource } from '../api/mcp/transcript-resource.ts';
import type { InboxDomain } from '../api/rest/inbox.ts';
import { Deadlines } from '../base/deadlines.ts';
import type { CallDomain } from '../calls/call-domain.ts';
import type { FileDomain } from '../files/file-domain.ts';
import type { OutboundDomain } from '../messaging/outbound-domain.ts';
import type { Wakeups } from '../messaging/wakeups.ts';
import type { Parts } from './parts.ts';

export interface McpDoorNeeds {
  readonly accounts: AccountDomain;
  readonly calls: CallDomain;
  readonly files: FileDomain;
  readonly inbox: InboxDomain;
  readonly outbound: OutboundDomain;
  readonly wakeups: Wakeups;
  readonly idempotency: Idempotency;
  readonly publicUrl: () => string;
}

/** The MCP server. Whoever imports this loads the SDK. */
export function openMcpDoor(
  { settings, clock, loggers }: Parts,
  needs: McpDoorNeeds,
  counts: McpCounts,
): McpDoor {
  const { calls, inbox, wakeups } = needs;
  const { sessionIdleMs, sessionsPerAccount } = settings.mcp;
  const cancellations = new Cancellations();
  const transcripts = new TranscriptResource(calls);
  const deadlines = new Deadlines(clock);
  const onError = (error: unknown, requestId: string): void =>
    loggers.http.error({ err: error, requestId }, 'a tool failed');
  const tools = mcpTools({ ...needs, onError });
  return new McpDoor(
    {
      contents: { tools, transcripts, instructions: INSTRUCTIONS, cancellations },
      waiting: { cancellations, deadlines },
      reading: inbox,
      wakeups,
      transcripts,
      deadlines,
      clock,
      // What clients do wrong is told to them.
      onError: (error) => loggers.http.debug({ err: error }, 'the MCP SDK reports'),
    },
    { idleMs: sessionIdleMs, maxPerAccount: sessionsPerAccount },
    counts,
  );
}
