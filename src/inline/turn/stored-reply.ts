import type { ModelReply } from '../../models/model-client.ts';
import type { DeliveryFailure } from '../../store/inline/deliveries.ts';
import { type NewAction, noteRefused, planActions } from '../../store/inline/delivery-actions.ts';
import { answerTurn } from '../../store/inline/delivery-turns.ts';
import { clearKeyRefusals } from '../../store/inline/inline-agents.ts';
import { type ModelConversation, setMemory } from '../../store/inline/model-conversations.ts';
import { appendModelTurns } from '../../store/inline/model-turns.ts';
import type { InlineDomain } from '../inline-domain.ts';
import type { PlacedAction } from '../reply/action.ts';
import type { ScannedReply } from '../reply/reply-scanner.ts';
import type { Turn } from './open-turn.ts';
import { TurnEnded } from './turn-faults.ts';

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
 * stored already. Returns false if the conversation was reset or got another configuration during the turn. Throws
 * TurnEnded if the turn is gone.
 */
export async function storeReply(
  { store, clock }: InlineDomain,
  { place: { accountId, agentId }, lead }: Turn,
  conversation: ModelConversation,
  { input, reply, scanned, failure }: TurnResult,
): Promise<boolean> {
  const nowIso = clock.nowIso();
  const { usage, replyId, memory, text } = reply;
  const actions = scanned.actions.map((placed) => newAction(lead.id, accountId, placed));
  return await store.db.transaction().execute(async (trx) => {
    const answer = { ...usage, ...(failure ?? {}), replyId, responseBody: text };
    const isOpen = await answerTurn(trx, lead.id, answer, nowIso);
    if (!isOpen) throw new TurnEnded('agent_gone');
    await planActions(trx, actions, nowIso);
    await noteRefused(trx, refusedTags(lead.id, accountId, scanned), nowIso);
    await clearKeyRefusals(trx, agentId);
    const common = { accountId, conversationId: conversation.id, deliveryId: lead.id, createdAt: nowIso };
    await appendModelTurns(trx, [
      { ...common, role: 'user', text: input },
      { ...common, role: 'assistant', text },
    ]);
    return await setMemory(trx, conversation, memory, nowIso);
  });
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
