import { newId } from '../base/ids.ts';
import type { Platform } from '../base/platform.ts';
import type { PresetIds } from '../base/speech.ts';
import type {
  Connector,
  InboundAnswerer,
  InboundCall,
  RingAnswer,
} from '../connectors/contract/connector.ts';
import type { CallActor } from './call-actor.ts';
import { type CallDomain, type CallToOpen, hasRoomToRing, openCall } from './call-domain.ts';
import { DEFAULT_AGENT_NAME } from './call-event.ts';
import { ENABLED_PRESETS, NO_PRESETS, presetsOfNumber } from './choose-presets.ts';

/**
 * Returns the handler of a connector's inbound calls. Each one rings as a call of its agent, or is accepted
 * automatically.
 */
export function inboundAnswerer(domain: CallDomain, connector: Connector): InboundAnswerer {
  return { ring: (inbound) => ringCall(domain, connector.platform, inbound) };
}

/** Lets an inbound call ring. Throws what its `take` throws. */
export function ringCall(domain: CallDomain, platform: Platform, inbound: InboundCall): RingAnswer {
  if (domain.registry.isClosed) return 'overloaded';
  if (!hasRoomToRing(domain, inbound.accountId) || domain.budget.refusal(inbound)) return 'busy';
  const call = callToOpen(platform, inbound);
  if (!domain.room.take(call)) return 'overloaded';
  const { login, capabilities, headers: sipHeaders = {} } = inbound;
  const actor = openCall(domain, call, { login, capabilities, presets: NO_PRESETS, sipHeaders });
  void usePresets(domain, actor, inbound.presets ?? ENABLED_PRESETS);
  domain.recorder.rang(actor.snapshot());
  if (!inbound.autoAnswer) actor.publish({ type: 'call_invite' });
  try {
    inbound.onCall?.(call.callId);
    actor.begin(inbound.take(actor.media, actor.legObserver));
  } catch (error) {
    actor.abandon({ result: 'failed', reason: 'the inbound call could not be set up' });
    throw error;
  }
  if (inbound.autoAnswer) actor.post({ type: 'accept' });
  return 'ringing';
}

function callToOpen(platform: Platform, inbound: InboundCall): CallToOpen {
  const { accountId, agentId, caller, target: meetingUrl, sampleRateHz } = inbound;
  const call = { callId: newId('call'), accountId, agentId, platform, meetingUrl, sampleRateHz };
  return { ...call, agentName: DEFAULT_AGENT_NAME, direction: 'inbound', caller };
}

/** Gives a call its presets. It rings meanwhile. */
async function usePresets(
  { presets, events }: CallDomain,
  actor: CallActor,
  named: PresetIds,
): Promise<void> {
  try {
    const chosen = await presetsOfNumber(presets, actor.identity.accountId, named);
    if (!actor.isOver) actor.capabilities.setPresets(chosen);
  } catch (error) {
    events.presetsFailed(actor.snapshot(), error);
  }
}
