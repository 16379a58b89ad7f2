import type { CallActor } from '../../calls/call-actor.ts';
import { findProvider } from '../../store/agents/agent-providers.ts';
import { openModelConversation } from '../../store/inline/model-conversations.ts';
import { appendModelTurns } from '../../store/inline/model-turns.ts';
import type { InlineDomain } from '../inline-domain.ts';
import { configHash } from '../turn/model-clients.ts';

/** What the transcript has in place of what people said before the greeting. */
const ANSWERED = 'The call was answered, and the gateway spoke the greeting for you.';

/**
 * Speaks the agent's greeting on a call that was just answered. The first words are not the model's, so that they come
 * at once; the gateway's transcript has them. Does nothing without a greeting or hosted text-to-speech.
 */
export async function greet({ store, calls, clock, voices }: InlineDomain, call: CallActor): Promise<void> {
  const { accountId, agentId, callId } = call.identity;
  const provider = await findProvider(store.db, store.secrets, agentId);
  if (!provider?.greeting || !voices.find(callId)?.isHosted) return;
  calls.speech.say(call, provider.greeting);
  const createdAt = clock.nowIso();
  const place = { accountId, agentId, lane: callId, configHash: configHash(provider) };
  const { greeting } = provider;
  await store.db.transaction().execute(async (trx) => {
    const { id: conversationId } = await openModelConversation(trx, place, createdAt);
    const common = { accountId, conversationId, createdAt };
    await appendModelTurns(trx, [
      { ...common, role: 'user', text: ANSWERED },
      { ...common, role: 'assistant', text: greeting },
    ]);
  });
}
