import { newId } from '../base/ids.ts';
import type { PresetIds } from '../base/speech.ts';
import type { Connector, InboundAnswerer, InboundCall } from '../connectors/contract/connector.ts';
import type { CallActor } from './call-actor.ts';
import { type CallDomain, hasRoomToRing, openCall } from './call-domain.ts';
import { DEFAULT_AGENT_NAME } from './call-event.ts';
import { ENABLED_PRESETS, NO_PRESETS, presetsOfNumber } from './choose-presets.ts';

/**
 * Returns the handler of a connector's inbound calls. Each one rings as a call of its agent, or is accepted
 * automatically.
 */
export function inboundAnswerer(domain: CallDomain, connector: Connector): InboundAnswerer {
  return { ring: (inbound) => ringCall(domain, connector, inbound) };
}

function ringCall(domain: CallDomain, connector: Connector, inbound: InboundCall): boolean {
  if (!hasRoomToRing(domain, inbound.accountId) || domain.budget.refusal(inbound)) return false;
  const { accountId, agentId, login, capabilities, caller, target: meetingUrl, sampleRateHz } = inbound;
  const sipHeaders = inbound.headers ?? {};
  const actor = openCall(
    domain,
    {
      callId: newId('call'),
      accountId,
      agentId,
      platform: connector.platform,
      meetingUrl,
      agentName: DEFAULT_AGENT_NAME,
      direction: 'inbound',
      caller,
      sampleRateHz,
    },
    { login, capabilities, presets: NO_PRESETS, sipHeaders },
  );
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
