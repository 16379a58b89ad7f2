import { showDmTyping } from '../../messaging/outbox/send-dm.ts';
import type { DeliveryFailure } from '../../store/inline/deliveries.ts';
import { type BusyLane, endTurn, failTurn } from '../../store/inline/delivery-turns.ts';
import { countKeyRefusal } from '../../store/inline/inline-agents.ts';
import { type ActionContext, scopeOfAgent } from '../actions/action-context.ts';
import { abandonActions, carryOut } from '../actions/carry-out.ts';
import { NO_PROVIDER } from '../feed/skipped.ts';
import type { InlineDomain } from '../inline-domain.ts';
import { checkHealth, ProbeFailed } from '../provider/healthcheck.ts';
import type { CallVoice } from '../voice/call-voice.ts';
import { answer } from './answer-turn.ts';
import { openTurn, placeOf, type Turn, type TurnPlace } from './open-turn.ts';
import { failureOf, TurnEnded } from './turn-faults.ts';

const BUG: DeliveryFailure = { errorType: 'internal_error', error: 'An internal error' };

/**
 * Runs one turn of a lane: asks the model, stores its reply, carries out what it asks for. Resolves with whether more
 * waits in the lane. Never rejects.
 */
export async function runTurn(domain: InlineDomain, place: BusyLane, signal: AbortSignal): Promise<boolean> {
  try {
    const turn = await openTurn(domain, place);
    if (turn === null) return false;
    await complete(domain, turn, signal);
    return turn.hasMore;
  } catch (error) {
    domain.observer.workFailed('a turn', error);
    return false;
  }
}

async function complete(domain: InlineDomain, turn: Turn, signal: AbortSignal): Promise<void> {
  const { store, clock, observer } = domain;
  const { accountId, agentId } = turn.place;
  const turnId = turn.lead.id;
  const startedMs = clock.monotonicMs();
  const provider = await domain.providers.of(agentId);
  if (!provider) return await failTurn(store.db, turnId, NO_PROVIDER, clock.nowIso());
  const facts = { accountId, agentId, provider: provider.provider, eventType: turn.lead.eventType };
  const context = { domain, scope: scopeOfAgent(accountId, agentId), place: placeOf(turn), turnId };
  const voice = voiceOf(context);
  const ending = voice ? AbortSignal.any([signal, voice.begin(turnId)]) : signal;
  try {
    if (turn.lead.eventType === 'healthcheck') {
      return await checkHealth(domain, { accountId, deliveryId: turnId, provider }, signal);
    }
    let isDelivered = false;
    if (turn.lead.status !== 'answered') {
      requireCall(domain, turn, context.place);
      showWork(context);
      const isSpoken = voice?.isHosted === true;
      const answered = await answer({ turn, provider, context, signal: ending, isSpoken });
      observer.turnAnswered(facts, answered.usage);
      isDelivered = answered.isDelivered;
    }
    voice?.written(turnId);
    if (!isDelivered) await carryOutAll(context);
    await domain.outbound.live.discard(turnId);
    observer.turnEnded(facts, clock.monotonicMs() - startedMs);
  } catch (error) {
    // The next start resumes the turn.
    if (error instanceof TurnEnded && error.kind === 'closing') return;
    const failure = error instanceof ProbeFailed ? error.failure : (failureOf(error) ?? BUG);
    if (failure === BUG) observer.workFailed('a turn', error);
    if (failure.errorType === 'key_rejected') await countKeyRefusal(store.db, agentId);
    await abandonActions(context);
    await domain.outbound.live.discard(turnId);
    await failTurn(store.db, turnId, failure, clock.nowIso());
    await domain.budgets.save(store.db, turn.place);
    observer.turnFailed(facts, failure, clock.monotonicMs() - startedMs);
  } finally {
    // The next turn is told what was heard.
    if (voice?.isInterrupted(turnId) === true) await voice.silence();
    voice?.close(turnId);
  }
}

/** Carries out what the stored reply asks for, and ends the turn. */
async function carryOutAll(context: ActionContext): Promise<void> {
  const { store, clock } = context.domain;
  await carryOut(context);
  await endTurn(store.db, context.turnId, clock.nowIso());
}

function voiceOf({ domain, place }: ActionContext): CallVoice | undefined {
  return place.kind === 'call' ? domain.voices.find(place.callId) : undefined;
}

/** The person sees that an answer is being written, and gets the gateway's own text only if none comes. */
function showWork({ domain, scope, place }: ActionContext): void {
  if (place.kind !== 'conversation') return;
  // It may be impossible to write to the conversation by now, which the actions find out.
  showDmTyping(domain.outbound, { scope }, place).catch(() => {});
}

/** Events that nobody needs an answer to once the call is over. */
const NEED_CALL: ReadonlySet<string> = new Set(['call_invite', 'call_transcript', 'call_chat']);

function requireCall({ calls }: InlineDomain, { lead }: Turn, place: TurnPlace): void {
  if (place.kind !== 'call' || !NEED_CALL.has(lead.eventType)) return;
  if (calls.registry.find(place.callId) === undefined) throw new TurnEnded('call_ended');
}
