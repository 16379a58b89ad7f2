import { unreachable } from '../../base/assert.ts';
import { PHONE_PLATFORM, PLATFORM_TRAITS } from '../../base/platform.ts';
import { listCalls } from '../../calls/find-call.ts';
import { isWindowOpen } from '../../messaging/window/window-guard.ts';
import { findAgent, listMembersOf } from '../../store/agents/agents.ts';
import { listPlatformAccounts, type PlatformAccount } from '../../store/logins/platform-accounts.ts';
import { findConversation } from '../../store/messages/conversations.ts';
import type { ActionContext } from '../actions/action-context.ts';
import type { AgentContext, CallContext, ConversationContext } from '../prompt/agent-context.ts';

/** Gathers what saves the model a look-up. */
export async function agentContextOf(context: ActionContext): Promise<AgentContext> {
  const { domain, scope, turnId } = context;
  const { store, clock, calls } = domain;
  const agent = await findAgent(store.db, scope.accountId, scope.agentIds[0]!);
  return {
    deliveryId: turnId,
    agentName: agent?.name ?? '',
    nowIso: clock.nowIso(),
    accounts: await accountsOf(context),
    calls: listCalls(calls, scope).map(({ callId, platform, state }) => ({ callId, platform, state })),
    place: await placeOf(context),
  };
}

async function accountsOf({ domain, scope }: ActionContext): Promise<AgentContext['accounts']> {
  const { db } = domain.store;
  const members = await listMembersOf(db, scope.agentIds);
  if (members.length === 0) return [];
  const ids = new Set(members.map(({ id }) => id));
  const accounts = await listPlatformAccounts(db, scope.accountId);
  return accounts
    .filter(({ id }) => ids.has(id))
    .map((account) => ({ id: account.id, platform: platformOf(account) }));
}

function platformOf(account: PlatformAccount): string {
  switch (account.type) {
    case 'connection':
      return account.provider;
    case 'bot_token':
      return account.platform;
    case 'sip_number':
      return PHONE_PLATFORM;
    default:
      return unreachable(account);
  }
}

async function placeOf(context: ActionContext): Promise<AgentContext['place']> {
  const { place } = context;
  if (place.kind === 'test') return null;
  return place.kind === 'call'
    ? callContext(context, place.callId)
    : await conversationContext(context, place.conversationId);
}

function callContext({ domain }: ActionContext, callId: string): CallContext | null {
  const call = domain.calls.registry.find(callId);
  if (!call) return null;
  const { platform, capabilities } = call.snapshot();
  const isSpoken = domain.voices.find(callId)?.isHosted ?? false;
  return { kind: 'call', callId, platform, capabilities, isSpoken };
}

async function conversationContext(
  { domain, scope }: ActionContext,
  conversationId: string,
): Promise<ConversationContext | null> {
  const conversation = await findConversation(domain.store.db, scope, conversationId);
  if (!conversation) return null;
  const { platform } = conversation;
  const traits = platform === 'agent' ? null : PLATFORM_TRAITS[platform];
  const windowMs = traits?.windowMs ?? null;
  return {
    kind: 'conversation',
    conversationId,
    platform,
    takesFiles: traits?.files ?? true,
    maxCharacters: null,
    isWindowOpen: windowMs === null ? null : isWindowOpen(conversation, domain.clock.nowIso(), windowMs),
  };
}
