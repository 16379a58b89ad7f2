import { goOn } from '../../../base/now-or-later.ts';
import type { JsonReply } from '../../http/answer/reply.ts';
import { type Account, McpAccount } from '../../schema/account.ts';
import { READS, type Run, type ToolSpec } from './mcp-tool.ts';

/** The tool for an overview of the account. */
export const ACCOUNT_TOOLS: readonly ToolSpec[] = [
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
