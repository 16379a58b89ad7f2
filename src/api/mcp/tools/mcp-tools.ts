import type { Tool } from '@modelcontextprotocol/server';
import type { AccountDomain } from '../../../accounts/account/account-domain.ts';
import { assert } from '../../../base/assert.ts';
import { goOn } from '../../../base/now-or-later.ts';
import type { CallDomain } from '../../../calls/call-domain.ts';
import type { FileDomain } from '../../../files/file-domain.ts';
import type { OutboundDomain } from '../../../messaging/outbox/outbound-domain.ts';
import type { Principal } from '../../auth/principal.ts';
import type { JsonReply } from '../../http/answer/reply.ts';
import type { Route } from '../../http/routing/route.ts';
import { accountRoutes } from '../../rest/account.ts';
import type { PublicUrl } from '../../rest/call-wire.ts';
import { callRoutes } from '../../rest/calls.ts';
import { dmRoutes } from '../../rest/dms.ts';
import { fileRoutes } from '../../rest/files.ts';
import { type InboxDomain, inboxRoutes } from '../../rest/inbox.ts';
import { type Account, McpAccount } from '../../schema/account.ts';
import { CALL_TOOLS } from './call-tools.ts';
import { type McpTool, READS, type Run, type ToolSpec } from './mcp-tool.ts';
import { messageTools } from './message-tools.ts';
import { routeTool, type ToolDeps } from './route-tool.ts';
import { ToolLists } from './tool-lists.ts';

/** The domains that the tools act on. */
export interface ToolDomains extends ToolDeps {
  readonly calls: CallDomain;
  readonly inbox: InboxDomain;
  readonly outbound: OutboundDomain;
  readonly files: FileDomain;
  readonly accounts: AccountDomain;
  readonly publicUrl: PublicUrl;
}

/** All tools. */
export interface McpTools {
  /** The answer to `tools/list`. */
  list(principal: Principal): readonly Tool[] | Promise<readonly Tool[]>;
  find(name: string): McpTool | undefined;
}

/** Makes the tools of the specification, each from its endpoint of the REST API. */
export function mcpTools(domains: ToolDomains): McpTools {
  const { calls, inbox, outbound, files, accounts, publicUrl } = domains;
  const routes: Route[] = [
    ...accountRoutes(accounts),
    ...inboxRoutes(inbox),
    ...dmRoutes(outbound),
    ...fileRoutes(files, publicUrl),
    ...callRoutes(calls, files, publicUrl),
  ];
  const twins = new Map(routes.map((route) => [route.operationId, route]));
  const byName = new Map<string, McpTool>();
  for (const spec of [...ACCOUNT_TOOLS, ...messageTools(inbox.clock), ...CALL_TOOLS]) {
    const twin = twins.get(spec.twin);
    assert(twin, `${spec.name}: no endpoint ${spec.twin}`);
    byName.set(spec.name, routeTool(spec, twin, domains));
  }
  const lists = new ToolLists(byName);
  return { list: (principal) => lists.of(principal), find: (name) => byName.get(name) };
}

/** Only the tools without any effect. */
export function readingTools(all: McpTools): McpTools {
  return {
    list: (principal) => goOn(all.list(principal), (tools) => tools.filter(isReading)),
    find: (name) => {
      const tool = all.find(name);
      return tool && isReading(tool.description) ? tool : undefined;
    },
  };
}

function isReading({ annotations }: Tool): boolean {
  return annotations?.readOnlyHint === true;
}

/** The tool for an overview of the account. */
const ACCOUNT_TOOLS: readonly ToolSpec[] = [
  {
    name: 'svc_account',
    twin: 'getAccount',
    title: 'Get the account',
    description:
      'Call this first. Returns the connected platforms with their capabilities, your handle on each, the number of live calls and the limit, hosted speech, and `last_message_cursor`, the starting point for svc_inbox. `features.channel` is `ready` if events are pushed to this session, `poll` if you read them with svc_inbox.',
    params: {},
    hints: READS,
    output: McpAccount,
    wrap: withChannel,
  },
];

/** Adds how this client gets events, which the REST API does not report. */
function withChannel(run: Run): Run {
  const [polling, pushed] = [channelAdder('poll'), channelAdder('ready')];
  return (context, args) => goOn(run(context, args), context.isStateful ? pushed : polling);
}

/** Returns the same object for the same answer of the endpoint. */
function channelAdder(channel: 'ready' | 'poll'): (answer: JsonReply) => JsonReply {
  const known = new WeakMap<JsonReply, JsonReply>();
  return (answer) => {
    const former = known.get(answer);
    if (former !== undefined) return former;
    const account = answer.body as Account;
    const body = { ...account, features: { ...account.features, channel } };
    const told = { ...answer, body, text: JSON.stringify(body) };
    known.set(answer, told);
    return told;
  };
}
