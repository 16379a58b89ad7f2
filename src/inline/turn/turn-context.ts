import { PHONE_PLATFORM } from '../../base/platform.ts';
import { listCalls } from '../../calls/find-call.ts';
import { isWindowOpen } from '../../messaging/window/window-guard.ts';
import { describeAgent } from '../../store/agents/agent-facts.ts';
import { findConversation } from '../../store/messages/conversations.ts';
import type { ActionContext } from '../actions/action-context.ts';
import type { AgentContext, CallContext, ConversationContext } from '../prompt/agent-context.ts';

/** Gathers what saves the model a look-up. */
export async function agentContextOf(context: ActionContext): Promise<AgentContext> {
  const { domain, scope, turnId } = context;
  const { store, clock, calls } = domain;
  const { name, accounts } = await describeAgent(store.db, scope.agentIds[0]!);
  return {
    deliveryId: turnId,
    agentName: name,
    nowIso: clock.nowIso(),
    accounts: accounts.map(({ id, platform }) => ({ id, platform: platform ?? PHONE_PLATFORM })),
    calls: listCalls(calls, scope).map(({ callId, platform, state }) => ({ callId, platform, state })),
    place: await placeOf(context),
  };
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
  const traits = platform === 'agent' ? null : domain.traits[platform];
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
