import { goOn } from '../../../base/at-once.ts';
import type { JsonReply } from '../../http/reply.ts';
import { type Account, McpAccount } from '../../schema/account.ts';
import { READS, type Run, type ToolSpec } from './mcp-tool.ts';

/** The account as a whole. */
export const ACCOUNT_TOOLS: readonly ToolSpec[] = [
  {
    name: 'svc_account',
    twin: 'getAccount',
    title: 'Look at the account',
    description:
      'Call this first on a cold start. Tells which platforms are connected and what they can do, how you and your human are known there, how many calls live and how many may, what hosted speech is set up, and `last_message_cursor`, from where svc_inbox tells what is new: take it once, then keep the cursor of each answer of svc_inbox. `features.channel` is `ready` where events are pushed to this session, `poll` where you read them by svc_inbox.',
    hints: READS,
    output: McpAccount,
    wrap: withChannel,
  },
];

/** Whether events come by themselves, which over REST nobody would ask. */
function withChannel(run: Run): Run {
  const [polling, pushed] = [channelAdder('poll'), channelAdder('ready')];
  return (context, args) => goOn(run(context, args), context.isStateful ? pushed : polling);
}

/** The same answer of the endpoint is the same answer of the tool. */
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
