import { goOn } from '../../../base/at-once.ts';
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
  return (context, args) =>
    goOn(run(context, args), (answer) => {
      const account = answer.body as Account;
      const features = { ...account.features, channel: context.isStateful ? 'ready' : 'poll' };
      return { ...answer, body: { ...account, features } };
    });
}
