import type { ModelReply } from '../../models/model-client.ts';
import type { StoredProvider } from '../../store/agents/agent-providers.ts';
import type { Db } from '../../store/database/rows.ts';
import type { DeliveryFailure } from '../../store/inline/deliveries.ts';
import { type NewAction, noteRefused, planActions } from '../../store/inline/delivery-actions.ts';
import { answerTurn, endTurn } from '../../store/inline/delivery-turns.ts';
import { clearKeyRefusals } from '../../store/inline/inline-agents.ts';
import { type ModelConversation, setMemory } from '../../store/inline/model-conversations.ts';
import { appendModelTurns } from '../../store/inline/model-turns.ts';
import type { InlineDomain } from '../inline-domain.ts';
import type { PlacedAction } from '../reply/action.ts';
import type { ScannedReply } from '../reply/action-builder.ts';
import type { Turn } from './open-turn.ts';
import { saveUsage } from './turn-budget.ts';

/** What a turn has come to. */
export interface TurnResult {
  /** What the model was told. Kept in the transcript. */
  readonly input: string;
  readonly reply: ModelReply;
  readonly scanned: ScannedReply;
  /** Why the reply is not complete. */
  readonly failure: DeliveryFailure | null;
}

/**
 * Stores the reply of a turn and what it asks for, before that is carried out. Sentences that were spoken early are
 * stored already; when nothing else was asked for, the turn ends here. A conversation that was reset or got another
 * configuration during the turn is deleted at the provider.
 */
export async function storeReply(
  domain: InlineDomain,
  { turn, provider }: { readonly turn: Turn; readonly provider: StoredProvider },
  conversation: ModelConversation,
  result: TurnResult,
): Promise<ReplyFate> {
  const { store, clock, forgetting } = domain;
  const { memory } = result.reply;
  const nowIso = clock.nowIso();
  const fate = await store.db.transaction().execute(async (trx) => {
    const stored = await storeAnswer(domain, trx, { turn, conversationId: conversation.id, nowIso }, result);
    const isKnown = stored !== 'gone' && (await setMemory(trx, conversation, memory, nowIso));
    if (!isKnown && memory !== null) await forgetting.add(trx, provider, { memory });
    return stored;
  });
  forgetting.wake();
  return fate;
}

/**
 * What has become of a reply. `answered`: it is stored, and its actions are to be carried out. `delivered`: there are none,
 * or they have been. `gone`: the turn is no longer there, and nothing is stored.
 */
type ReplyFate = 'answered' | 'delivered' | 'gone';

interface Answered {
  readonly turn: Turn;
  readonly conversationId: number;
  readonly nowIso: string;
}

async function storeAnswer(
  domain: InlineDomain,
  trx: Db,
  { turn, conversationId, nowIso }: Answered,
  { input, reply, scanned, failure }: TurnResult,
): Promise<ReplyFate> {
  const { usage, replyId, text } = reply;
  const { accountId, agentId } = turn.place;
  const deliveryId = turn.lead.id;
  const answer = { ...usage, ...(failure ?? {}), replyId, responseBody: text };
  if (!(await answerTurn(trx, deliveryId, answer, nowIso))) return 'gone';
  const actions = scanned.actions.map((placed) => newAction(deliveryId, accountId, placed));
  const planned = await planActions(trx, actions, nowIso);
  await noteRefused(trx, refusedTags(deliveryId, accountId, scanned), nowIso);
  await clearKeyRefusals(trx, agentId);
  await saveUsage(domain, trx, turn, usage);
  const common = { accountId, conversationId, deliveryId, createdAt: nowIso };
  await appendModelTurns(trx, [
    { ...common, role: 'user', text: input },
    { ...common, role: 'assistant', text },
  ]);
  if (planned > 0) return 'answered';
  await endTurn(trx, deliveryId, nowIso);
  return 'delivered';
}

export function newAction(deliveryId: string, accountId: string, { index, action }: PlacedAction): NewAction {
  return { deliveryId, accountId, position: index, kind: action.kind, detail: { ...action } };
}

/** Tags that were not understood come after all actions. */
function refusedTags(
  deliveryId: string,
  accountId: string,
  { actions, faults }: ScannedReply,
): { readonly action: NewAction; readonly reason: string }[] {
  const first = Math.max(-1, ...actions.map(({ index }) => index)) + 1;
  return faults.map(({ tag, problem }, at) => ({
    action: { deliveryId, accountId, position: first + at, kind: tag, detail: { kind: tag } },
    reason: problem,
  }));
}
