import { TimeLimit } from '../../base/time-limit.ts';
import type { ModelReply, ModelTurn, ModelUsage } from '../../models/model-client.ts';
import type { StoredProvider } from '../../store/agents/agent-providers.ts';
import { planActions } from '../../store/inline/delivery-actions.ts';
import { answerTurn, countAttempt } from '../../store/inline/delivery-turns.ts';
import { clearKeyRefusals } from '../../store/inline/inline-agents.ts';
import {
  type ModelConversation,
  openModelConversation,
  setMemory,
} from '../../store/inline/model-conversations.ts';
import { appendModelTurns } from '../../store/inline/model-turns.ts';
import type { InlineDomain } from '../inline-domain.ts';
import type { PlacedAction } from '../reply/action.ts';
import { askModel } from './ask-model.ts';
import { configHash } from './model-clients.ts';
import type { Turn } from './open-turn.ts';
import { toldEvents } from './told-events.ts';
import { deadlineOf } from './turn-deadlines.ts';
import { TurnEnded } from './turn-faults.ts';
import { historyOf, inputOf } from './turn-input.ts';
import { TurnMemory } from './turn-memory.ts';

const MAX_OUTPUT_TOKENS = 4_096;

/** Gets the model's reply to a turn and stores it with the actions it asks for, before any of them is carried out. */
export async function answer(
  domain: InlineDomain,
  turn: Turn,
  provider: StoredProvider,
  outer: AbortSignal,
): Promise<ModelUsage> {
  const limitMs = deadlineOf(turn.lead.eventType);
  const limit = new TimeLimit(domain.clock, limitMs, { reason: new TurnEnded('timeout') });
  const signal = AbortSignal.any([limit.signal, outer]);
  try {
    return await ask(domain, turn, provider, { signal, deadlineMs: domain.clock.monotonicMs() + limitMs });
  } finally {
    limit.close();
  }
}

interface Bounds {
  readonly signal: AbortSignal;
  readonly deadlineMs: number;
}

async function ask(
  domain: InlineDomain,
  turn: Turn,
  provider: StoredProvider,
  { signal, deadlineMs }: Bounds,
): Promise<ModelUsage> {
  const { store, clock } = domain;
  const { accountId, agentId, lane } = turn.place;
  const scope = { accountId, agentIds: [agentId], platforms: null };
  const input = inputOf(provider, await toldEvents(domain, scope, turn.deliveries));
  const place = { accountId, agentId, lane, configHash: configHash(provider) };
  const conversation = await store.db
    .transaction()
    .execute((trx) => openModelConversation(trx, place, clock.nowIso()));
  const client = domain.clients.of(provider);
  const memory = new TurnMemory(domain, client, conversation);
  const request: ModelTurn = {
    memory: memory.current,
    history: await historyOf(store.db, conversation.id),
    instructions: input.instructions,
    text: input.text,
    marker: turn.lead.id,
    maxOutputTokens: MAX_OUTPUT_TOKENS,
    isSpoken: false,
    tools: await domain.toolsOf(agentId),
    signal,
  };
  const reply = await askModel(
    {
      clock,
      client,
      memory,
      observer: { remembered: (place) => memory.remember(place), text: () => {} },
      begin: () => begin(domain, turn, provider),
      isVisible: () => false,
      deadlineMs,
    },
    request,
    turn.lead.attempts > 0,
  );
  await memory.stored();
  const isKnown = await storeReply(domain, turn, conversation, { input: input.text, reply });
  if (!isKnown && reply.memory !== null) domain.forgetting.add(client, reply.memory);
  return reply.usage;
}

async function begin({ store }: InlineDomain, { lead }: Turn, { provider }: StoredProvider): Promise<void> {
  if (!(await countAttempt(store.db, lead.id, provider))) throw new TurnEnded('agent_gone');
}

/** Returns false if the conversation was reset or got another configuration during the turn. */
async function storeReply(
  { store, clock }: InlineDomain,
  { place: { accountId, agentId }, lead }: Turn,
  conversation: ModelConversation,
  { input, reply }: { readonly input: string; readonly reply: ModelReply },
): Promise<boolean> {
  const actions = parsed(reply);
  const createdAt = clock.nowIso();
  const { usage, replyId } = reply;
  return await store.db.transaction().execute(async (trx) => {
    const answered = await answerTurn(
      trx,
      lead.id,
      { ...usage, replyId, responseBody: reply.text },
      createdAt,
    );
    if (!answered) throw new TurnEnded('agent_gone');
    await planActions(
      trx,
      actions.map(({ index, action: { kind, ...detail } }) => ({
        deliveryId: lead.id,
        accountId,
        position: index,
        kind,
        detail: { kind, ...detail },
      })),
      createdAt,
    );
    await clearKeyRefusals(trx, agentId);
    const common = { accountId, conversationId: conversation.id, deliveryId: lead.id, createdAt };
    await appendModelTurns(trx, [
      { ...common, role: 'user', text: input },
      { ...common, role: 'assistant', text: reply.text },
    ]);
    return await setMemory(trx, conversation, reply.memory, createdAt);
  });
}

function parsed({ text }: ModelReply): PlacedAction[] {
  return text.trim() === '' ? [] : [{ index: 0, action: { kind: 'write', text: text.trim() } }];
}
