import type { ModelReply } from '../../models/model-client.ts';
import type { Db } from '../../store/database/tables.ts';
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
import type { OpenTurn } from './turn-to-answer.ts';

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
 * stored already. A conversation that was reset or got another configuration during the turn is deleted at the provider.
 * Returns false if the turn is gone.
 */
export async function storeReply(
  domain: InlineDomain,
  { turn, provider }: Pick<OpenTurn, 'turn' | 'provider'>,
  conversation: ModelConversation,
  result: TurnResult,
): Promise<boolean> {
  const { store, clock, forgetting } = domain;
  const { memory } = result.reply;
  const nowIso = clock.nowIso();
  const isStored = await store.db.transaction().execute(async (trx) => {
    const isOpen = await storeAnswer(trx, { turn, conversationId: conversation.id, nowIso }, result);
    const isKnown = isOpen && (await setMemory(trx, conversation, memory, nowIso));
    if (!isKnown && memory !== null) await forgetting.add(trx, provider, { memory });
    return isOpen;
  });
  forgetting.wake();
  return isStored;
}

interface Answered {
  readonly turn: Turn;
  readonly conversationId: number;
  readonly nowIso: string;
}

/** Returns false, and stores nothing, if the turn is gone. */
async function storeAnswer(
  trx: Db,
  { turn, conversationId, nowIso }: Answered,
  { input, reply, scanned, failure }: TurnResult,
): Promise<boolean> {
  const { usage, replyId, text } = reply;
  const { accountId, agentId } = turn.place;
  const deliveryId = turn.lead.id;
  const answer = { ...usage, ...(failure ?? {}), replyId, responseBody: text };
  if (!(await answerTurn(trx, deliveryId, answer, nowIso))) return false;
  const actions = scanned.actions.map((placed) => newAction(deliveryId, accountId, placed));
  await planActions(trx, actions, nowIso);
  await noteRefused(trx, refusedTags(deliveryId, accountId, scanned), nowIso);
  await clearKeyRefusals(trx, agentId);
  const common = { accountId, conversationId, deliveryId, createdAt: nowIso };
  await appendModelTurns(trx, [
    { ...common, role: 'user', text: input },
    { ...common, role: 'assistant', text },
  ]);
  return true;
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
