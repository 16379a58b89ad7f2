import { PHONE_PLATFORM } from '../../base/platform.ts';
import { listCalls } from '../../calls/call-domain.ts';
import { isWindowOpen } from '../../messaging/window/window-guard.ts';
import { describeAgent } from '../../store/agents/agent-facts.ts';
import { findConversation } from '../../store/messages/conversations.ts';
import type { ActionContext } from '../actions/action-context.ts';

type Facts = Readonly<Record<string, unknown>>;

/**
 * Gathers facts that save the model a look-up: the agent's platform accounts, its live calls, and what is possible in the
 * conversation or on the call that the events are from. By `delivery` the turn can be found at the provider again.
 */
export async function agentContext(context: ActionContext): Promise<Facts> {
  const { domain, scope, turnId } = context;
  const { store, clock, calls } = domain;
  const { name, accounts } = await describeAgent(store.db, scope.agentIds[0]!);
  const here = await factsOfPlace(context);
  return {
    delivery: turnId,
    agent: name,
    now: clock.nowIso(),
    accounts: accounts.map(({ id, platform }) => ({ account_id: id, platform: platform ?? PHONE_PLATFORM })),
    active_calls: listCalls(calls, scope).map(({ callId: call_id, platform, state }) => ({
      call_id,
      platform,
      state,
    })),
    ...(here !== null && { here }),
  };
}

async function factsOfPlace(context: ActionContext): Promise<Facts | null> {
  const { place } = context;
  if (place.kind === 'test') return null;
  return place.kind === 'call'
    ? callFacts(context, place.callId)
    : await conversationFacts(context, place.conversationId);
}

function callFacts({ domain }: ActionContext, callId: string): Facts | null {
  const call = domain.calls.registry.find(callId);
  if (!call) return null;
  const { platform, capabilities } = call.snapshot();
  const isSpoken = domain.voices.find(callId)?.isHosted ?? false;
  return { call_id: callId, platform, capabilities, text_is: isSpoken ? 'spoken' : 'written' };
}

/** `window_open`: until the person writes again, messages wait; absent where the platform always takes them. */
async function conversationFacts(
  { domain, scope }: ActionContext,
  conversationId: string,
): Promise<Facts | null> {
  const conversation = await findConversation(domain.store.db, scope, conversationId);
  if (!conversation) return null;
  const { platform } = conversation;
  const { files, windowMs } = platform === 'agent' ? AGENTS : domain.traits[platform];
  const isOpen = windowMs === null || isWindowOpen(conversation, domain.clock.nowIso(), windowMs);
  const window = windowMs === null ? {} : { window_open: isOpen };
  // A longer text is sent in parts.
  const longest = domain.outbound.messengers.get(platform)?.maxText ?? null;
  const limit = longest === null ? {} : { max_characters: longest };
  return { conversation_id: conversationId, platform, files, ...limit, ...window };
}

const AGENTS = { files: true, windowMs: null };
