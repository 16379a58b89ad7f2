import { ENABLED_PRESETS } from '../../calls/choose-presets.ts';
import { placeCall } from '../../calls/place-call.ts';
import { sendDm } from '../../messaging/outbox/send-dm.ts';
import { findAgent } from '../../store/agents/agents.ts';
import { findConversation } from '../../store/messages/conversations.ts';
import type { CallJoinAction, DmAction } from '../reply/action.ts';
import { type ActionContext, type OneAction, Refused, writerOf } from './action-context.ts';

/** Writes to somebody else than the turn's conversation, through the agent's own accounts. */
export async function dm(context: OneAction, action: DmAction): Promise<void> {
  requireRoom(context);
  const { platform, to, text } = action;
  const isAgent = platform === 'agent';
  if (!isAgent) await requireAccount(context, action);
  const receiver = isAgent ? { conversationId: null, peer: to } : { conversationId: to, peer: '' };
  const request = { platform, text, keepTyping: false, attachments: [], task: '', ...receiver };
  await sendDm(context.domain.outbound, writerOf(context), request);
}

/** Places a call with one of the agent's own accounts. */
export async function joinCall(
  context: ActionContext,
  { platform, url, accountId: loginId }: CallJoinAction,
): Promise<void> {
  requireRoom(context);
  const { domain, scope } = context;
  const agent = await findAgent(domain.store.db, scope.accountId, scope.agentIds[0]!);
  if (!agent) throw new Refused('The agent was deleted');
  const request = { platform, meetingUrl: url, dtmf: '', agentName: agent.name, loginId };
  await placeCall(domain.calls, scope, { ...request, presets: ENABLED_PRESETS });
}

function requireRoom({ domain, scope }: ActionContext): void {
  if (!domain.reach.take(scope.agentIds[0]!))
    throw new Refused('A model may write to others or place calls 10 times a minute');
}

/** A conversation belongs to one account, so an account that is named can only be that one. */
async function requireAccount({ domain, scope }: ActionContext, { to, accountId }: DmAction): Promise<void> {
  if (accountId === null) return;
  const conversation = await findConversation(domain.store.db, scope, to);
  if (conversation && conversation.memberId !== accountId)
    throw new Refused(`The conversation does not belong to the account ${accountId}`);
}
