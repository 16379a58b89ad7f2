import { dialable } from '../../base/call-pattern.ts';
import { dialSame } from '../../base/call-target.ts';
import { match } from '../../base/match.ts';
import { PHONE_PLATFORM } from '../../base/platform.ts';
import { type AgentPolicy, findPolicy } from '../../store/agents/agent-policies.ts';
import { findRow } from '../../store/database/rows.ts';
import { findConversation } from '../../store/messages/conversations.ts';
import type { DmAction, PlacedAction } from '../reply/action.ts';
import type { ScannedReply } from '../reply/action-builder.ts';
import { type ActionContext, Refused } from './action-context.ts';

/** Sentences are how a model speaks, and it decides on a call once. */
const UNCOUNTED: ReadonlySet<string> = new Set(['say', 'accept', 'refuse', 'leave']);

/**
 * Returns what to dial for whom a model calls: somebody whom the policy has, or whoever its turn is about.
 * @throws Refused
 */
export async function requireCallable(context: ActionContext, url: string): Promise<string> {
  const { callsTo } = await policyOf(context);
  const listed = dialable(callsTo, url);
  if (listed !== null) return listed;
  const own = await personOf(context);
  const same = own === null ? null : dialSame(own, url);
  if (same === null)
    throw refused(context, 'call_join', 'The policy of the agent does not have this number or address');
  return same;
}

/** @throws Refused when the policy keeps a model from writing to others than the conversation of its turn */
export async function requireWritable(context: ActionContext, { platform, to }: DmAction): Promise<void> {
  const { place } = context;
  if (place.kind === 'conversation' && platform !== 'agent' && to === place.conversationId) return;
  const { newConversations } = await policyOf(context);
  if (!newConversations)
    throw refused(context, 'dm', 'The policy of the agent does not let it write to other conversations');
}

/** Returns a reply with as many actions as the policy allows in one turn. */
export async function withinPolicy(context: ActionContext, reply: ScannedReply): Promise<ScannedReply> {
  const counted = reply.actions.filter(({ action }) => !UNCOUNTED.has(action.kind));
  if (counted.length === 0) return reply;
  const { actionsPerTurn } = await policyOf(context);
  const dropped = new Set<PlacedAction>(counted.slice(actionsPerTurn));
  const [first] = dropped;
  if (first === undefined) return reply;
  for (const { action } of dropped) context.domain.observer.actionRefused(action.kind);
  const problem = `The policy of the agent allows ${actionsPerTurn} actions in a turn; the other ${dropped.size} are dropped`;
  return {
    actions: reply.actions.filter((placed) => !dropped.has(placed)),
    faults: [...reply.faults, { tag: first.action.kind, problem }],
  };
}

async function policyOf({ domain, scope }: ActionContext): Promise<AgentPolicy> {
  return await findPolicy(domain.store.db, scope.agentIds[0]!);
}

/** Returns the number or address of whom a turn is about; null when it is not known. */
async function personOf(context: ActionContext): Promise<string | null> {
  const { domain, scope, place } = context;
  return await match(place, 'kind', {
    call: (place) => otherSideOf(context, place.callId),
    conversation: async (place) => {
      const conversation = await findConversation(domain.store.db, scope, place.conversationId);
      if (!conversation || conversation.platform === 'agent') return null;
      // Elsewhere, people may choose what they are known by.
      return domain.traits[conversation.platform].knowsNumbers ? `+${conversation.remoteId}` : null;
    },
    test: () => null,
  });
}

/** Who called by telephone, or else the place of the call: people may choose their names. The call may be over by now. */
async function otherSideOf({ domain, scope }: ActionContext, callId: string): Promise<string | null> {
  const { accountId } = scope;
  const live = domain.calls.registry.find(callId)?.snapshot();
  const call = live ?? (await findRow(domain.store.db, 'calls', { callId, accountId }));
  if (!call) return null;
  return call.direction === 'inbound' && call.platform === PHONE_PLATFORM ? call.caller : call.meetingUrl;
}

function refused({ domain }: ActionContext, action: string, why: string): Refused {
  domain.observer.actionRefused(action);
  return new Refused(why);
}
