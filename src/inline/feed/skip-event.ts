import { isoAfter } from '../../base/time.ts';
import { type Db, findRow } from '../../store/database/rows.ts';
import { countLaneSince, type DeliveryFailure } from '../../store/inline/deliveries.ts';
import type { AgentWithNews } from '../../store/inline/inline-agents.ts';
import { appendAgentEvent, type StoredEvent } from '../../store/messages/events.ts';
import type { InlineDomain } from '../inline-domain.ts';
import { MODEL_BUDGETS } from '../turn/turn-budget.ts';
import type { Verdict } from './loop-guard.ts';
import { AGENT_LOOP, budgetSpent, KEY_REFUSED, LOOP, QUEUE_FULL } from './skipped.ts';

/** Limit of deliveries of an agent that wait. Further ones fail. */
export const MAX_QUEUED = 500;
/** A model whose key was refused so often is no longer called. */
const MAX_KEY_REFUSALS = 5;
/** Limit of messages in one conversation between agents for which a model is called. */
export const MAX_AGENT_TURNS = 20;
const AGENT_TURNS_MS = 3_600_000;

/** What becomes of an event: a turn, after a pause, or a failed delivery. */
export type Fate =
  | { readonly kind: 'turn'; readonly pauseMs: number }
  | {
      readonly kind: 'skip';
      readonly failure: DeliveryFailure;
      /** Whoever wrote gets no text from the gateway either. */
      readonly isSilent: boolean;
      /** The owner is told by an event. */
      readonly isTold: boolean;
    };

const AT_ONCE: Fate = { kind: 'turn', pauseMs: 0 };

/** An event of a conversation or call. */
interface Placed {
  readonly event: StoredEvent;
  readonly lane: string;
}

/** Decides whether an agent's model is called for an event. */
export async function fateOf(
  domain: InlineDomain,
  trx: Db,
  agent: AgentWithNews,
  placed: Placed,
): Promise<Fate> {
  if (agent.keyRefusals >= MAX_KEY_REFUSALS) return skip(KEY_REFUSED);
  if (agent.queued >= MAX_QUEUED) return skip(QUEUE_FULL);
  const spent = domain.budgets.spent(agent, MODEL_BUDGETS);
  if (spent)
    return skip(budgetSpent(spent), { isSilent: !domain.guard.isNews(`${placed.lane} ${spent.endsAt}`) });
  if (placed.event.type !== 'dm_chat') return AT_ONCE;
  return placed.event.platform === 'agent'
    ? await fateAmongAgents(domain, trx, agent, placed)
    : await fateOfChat(domain, trx, agent, placed);
}

function skip(failure: DeliveryFailure, { isSilent = false, isTold = false } = {}): Fate {
  return { kind: 'skip', failure, isSilent, isTold };
}

async function fateAmongAgents(
  domain: InlineDomain,
  trx: Db,
  agent: AgentWithNews,
  { event, lane }: Placed,
): Promise<Fate> {
  const since = isoAfter(domain.clock.nowIso(), -AGENT_TURNS_MS);
  if ((await countLaneSince(trx, agent.agentId, lane, since)) < MAX_AGENT_TURNS) return AT_ONCE;
  const isTold = domain.guard.isNews(`${agent.agentId} ${lane}`);
  if (isTold) await tell(domain, trx, agent, { event, lane });
  return skip(AGENT_LOOP, { isTold });
}

async function fateOfChat(
  domain: InlineDomain,
  trx: Db,
  agent: AgentWithNews,
  { event, lane }: Placed,
): Promise<Fate> {
  const verdict = await judge(domain, trx, agent, { event, lane });
  if (verdict.kind === 'open') return { kind: 'turn', pauseMs: verdict.pauseMs };
  if (verdict.isFirst) await tell(domain, trx, agent, { event, lane });
  return skip(LOOP, { isSilent: true, isTold: verdict.isFirst });
}

async function judge(
  { guard }: InlineDomain,
  trx: Db,
  { agentId }: AgentWithNews,
  { event: { messageSeq }, lane }: Placed,
): Promise<Verdict> {
  const message = messageSeq === null ? undefined : await findRow(trx, 'messages', { seq: messageSeq });
  if (!message) return { kind: 'open', pauseMs: 0 };
  return guard.hear({ agentId, lane, senderId: message.senderId, text: message.text });
}

/** Tells the agent's owner, once, that the model no longer answers in a conversation. */
async function tell(
  { clock, observer }: InlineDomain,
  trx: Db,
  { accountId, agentId }: AgentWithNews,
  { event: { platform }, lane }: Placed,
): Promise<void> {
  observer.loopStopped({ accountId, agentId, conversationId: lane });
  const { error: reason } = platform === 'agent' ? AGENT_LOOP : LOOP;
  const payload = { agent_id: agentId, platform, conversation_id: lane, reason };
  await appendAgentEvent(trx, {
    ...{ accountId, agentId, platform, payload },
    type: 'loop',
    createdAt: clock.nowIso(),
  });
}
