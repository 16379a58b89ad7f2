import { newId } from '../base/ids.ts';
import type { PresetIds } from '../base/speech.ts';
import type { Connector, InboundAnswerer, InboundCall } from '../connectors/contract/connector.ts';
import { type CallIdentity, DEFAULT_AGENT_NAME } from './call.ts';
import type { CallActor } from './call-actor.ts';
import { type CallDomain, hasRoom, openCall } from './call-domain.ts';
import { ENABLED_PRESETS, NO_PRESETS, presetsOfNumber } from './choose-presets.ts';

/**
 * Returns the handler of a connector's inbound calls. Each one rings as a call of its agent, or is accepted
 * automatically.
 */
export function inboundAnswerer(domain: CallDomain, connector: Connector): InboundAnswerer {
  return { ring: (inbound) => ringCall(domain, connector, inbound) };
}

function ringCall(domain: CallDomain, connector: Connector, inbound: InboundCall): boolean {
  if (!hasRoom(domain, inbound.accountId)) return false;
  const { login, capabilities } = inbound;
  const start = { login, capabilities, presets: NO_PRESETS };
  const actor = openCall(domain, inboundIdentity(domain, connector, inbound), start);
  void usePresets(domain, actor, inbound.presets ?? ENABLED_PRESETS);
  domain.recorder.rang(actor.snapshot());
  if (!inbound.autoAnswer) actor.publish({ type: 'call_invite' });
  try {
    actor.begin(inbound.take(actor.media, actor.legObserver));
  } catch (error) {
    actor.abandon({ result: 'failed', reason: 'the inbound call could not be set up' });
    throw error;
  }
  if (inbound.autoAnswer) actor.post({ type: 'accept' });
  return true;
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

function inboundIdentity(domain: CallDomain, connector: Connector, inbound: InboundCall): CallIdentity {
  return {
    callId: newId('call'),
    roomId: newId('room'),
    participantId: newId('part'),
    accountId: inbound.accountId,
    agentId: inbound.agentId,
    platform: connector.platform,
    meetingUrl: inbound.target,
    agentName: DEFAULT_AGENT_NAME,
    direction: 'inbound',
    caller: inbound.caller,
    createdAt: domain.clock.nowIso(),
    sampleRateHz: inbound.sampleRateHz,
  };
}
