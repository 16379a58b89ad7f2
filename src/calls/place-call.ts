import { GatewayError } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import { noLoginText, type Platform, unservedText } from '../base/platform.ts';
import { type AgentScope, reaches } from '../base/scope.ts';
import type { CallIdentity, CallSnapshot } from './call.ts';
import { type CallDomain, hasRoom, openCall } from './call-domain.ts';

export interface PlaceCallRequest {
  readonly platform: Platform;
  /** Empty when the client sent none. */
  readonly meetingUrl: string;
  readonly agentName: string;
  /** Ids of hosted-speech presets; none exist yet, so any id is unknown. */
  readonly voiceConfigIds: readonly string[];
}

/**
 * Places an outbound call and returns it in state `connecting`. The call is stored before this resolves.
 * @throws GatewayError `platform_not_granted`, `platform_not_configured`, `no_sip_trunk`, `meeting_url_required`,
 * `invalid_meeting_url`, `voice_config_not_found`, `not_ready`, `call_limit`
 */
export async function placeCall(
  domain: CallDomain,
  scope: AgentScope,
  request: PlaceCallRequest,
): Promise<CallSnapshot> {
  if (!reaches(scope, request.platform)) throw new GatewayError('platform_not_granted');
  const connector = domain.connectors.get(request.platform);
  const calls = connector?.provides.calls;
  if (connector === undefined || calls === undefined) throw await cannotCall(domain, scope, request.platform);
  if (request.voiceConfigIds.length > 0) throw new GatewayError('voice_config_not_found');
  const offer = { capabilities: connector.capabilities, sampleRateHz: calls.nativeSampleRateHz };
  const identity = outboundIdentity(domain, scope, offer, request);
  const dial = {
    callId: identity.callId,
    accountId: identity.accountId,
    target: identity.meetingUrl,
    agentName: identity.agentName,
  };
  calls.checkDial(dial);
  if (domain.registry.isClosed) throw new GatewayError('not_ready', 'The gateway is closing');
  if (!hasRoom(domain, scope.accountId)) throw new GatewayError('call_limit');
  const actor = openCall(domain, identity);
  try {
    await domain.recorder.opened(actor.snapshot());
    actor.begin(calls.dial(dial, actor.media, actor.legObserver));
  } catch (error) {
    actor.abandon({ result: 'failed', reason: 'the call could not be placed' });
    throw error;
  }
  return actor.snapshot();
}

/**
 * Returns the error for a platform that cannot be called: the account has no login there, the platform has no calls, or
 * the gateway has no connector for it.
 */
async function cannotCall(
  domain: CallDomain,
  { accountId }: AgentScope,
  platform: Platform,
): Promise<GatewayError> {
  if (await domain.hasLogin(accountId, platform)) {
    return domain.connectors.has(platform)
      ? new GatewayError('capability_missing')
      : new GatewayError('platform_not_configured', unservedText(platform));
  }
  return new GatewayError('platform_not_configured', noLoginText(platform));
}

function outboundIdentity(
  domain: CallDomain,
  scope: AgentScope,
  offer: Pick<CallIdentity, 'capabilities' | 'sampleRateHz'>,
  request: PlaceCallRequest,
): CallIdentity {
  const [agentId] = scope.agentIds;
  if (agentId === undefined) throw new GatewayError('forbidden');
  return {
    callId: newId('call'),
    roomId: newId('room'),
    participantId: newId('part'),
    accountId: scope.accountId,
    agentId,
    platform: request.platform,
    meetingUrl: request.meetingUrl,
    agentName: request.agentName,
    direction: 'outbound',
    caller: '',
    createdAt: domain.clock.nowIso(),
    ...offer,
  };
}
