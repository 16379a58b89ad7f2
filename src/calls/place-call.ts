import { GatewayError, Overloaded } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import { noLoginText, type Platform, unservedText } from '../base/platform.ts';
import { type AgentScope, reaches } from '../base/scope.ts';
import type { PresetIds } from '../base/speech.ts';
import type { Connector, DialRequest, PlacesCalls } from '../connectors/contract/connector.ts';
import { type CallDomain, type CallToOpen, hasRoomToTalk, openCall } from './call-domain.ts';
import type { CallSnapshot } from './call-event.ts';
import { chooseLogin } from './choose-login.ts';
import { choosePresets } from './choose-presets.ts';
import type { MachineDetection } from './machine-detection.ts';

export interface PlaceCallRequest {
  readonly platform: Platform;
  /** Empty when the client sent none. */
  readonly meetingUrl: string;
  /** Keys to press once the call is answered; empty: none. */
  readonly dtmf: string;
  readonly agentName: string;
  /** The login to use; null: the only one that fits. */
  readonly loginId: string | null;
  readonly presets: PresetIds;
  /** Off without. */
  readonly machineDetection?: MachineDetection;
}

/**
 * Places an outbound call and returns it in state `connecting`. The call is stored before this resolves.
 * @throws GatewayError `platform_not_granted`, `capability_missing`, `not_ready`, `call_limit`, `budget_spent`, `storage_full`, TooManyAttempts, Overloaded, and those of `choosePresets`,
 * `chooseLogin` and of the connector's `prepare`
 */
export async function placeCall(
  domain: CallDomain,
  scope: AgentScope,
  request: PlaceCallRequest,
): Promise<CallSnapshot> {
  if (!reaches(scope, request.platform)) throw new GatewayError('platform_not_granted');
  domain.recorder.assertMayOpen(scope.accountId);
  const connector = domain.connectors.get(request.platform);
  const calls = connector?.provides.calls;
  if (connector === undefined || calls === undefined) throw await cannotCall(domain, scope, request.platform);
  if (request.dtmf !== '' && calls.takesDtmf !== true) throw new GatewayError('capability_missing', NO_DTMF);
  const presets = await choosePresets(domain.presets, scope.accountId, request.presets);
  const dial = await dialRequest(domain, scope, request, { connector, calls });
  const { capabilities, sampleRateHz } = calls.prepare(dial);
  if (domain.registry.isClosed) throw new GatewayError('not_ready', 'The gateway is closing');
  if (!hasRoomToTalk(domain, scope.accountId)) throw new GatewayError('call_limit');
  const refusal = domain.budget.refusal(dial);
  if (refusal) throw refusal;
  const call = callToOpen(request.platform, dial, sampleRateHz);
  if (!domain.room.take(call)) throw new Overloaded();
  const { machineDetection = 'off' } = request;
  const actor = openCall(domain, call, { login: dial.login, capabilities, presets, machineDetection });
  try {
    await domain.recorder.opened(actor.snapshot());
    actor.begin(calls.dial(dial, actor.media, actor.legObserver));
  } catch (error) {
    actor.abandon({ result: 'failed', reason: 'the call could not be placed' });
    throw error;
  }
  return actor.snapshot();
}

const NO_DTMF = 'Calls on this platform take no dtmf';

/**
 * Returns the error for a platform that cannot be called: the account has no login there, the platform has no calls, or
 * the gateway has no connector for it.
 */
async function cannotCall(
  domain: CallDomain,
  { accountId }: AgentScope,
  platform: Platform,
): Promise<GatewayError> {
  if (await domain.logins.hasAny(accountId, platform)) {
    return domain.connectors.has(platform)
      ? new GatewayError('capability_missing')
      : new GatewayError('platform_not_configured', unservedText(platform));
  }
  return new GatewayError('platform_not_configured', noLoginText(platform));
}

async function dialRequest(
  { logins }: CallDomain,
  scope: AgentScope,
  { meetingUrl: target, dtmf, agentName, loginId }: PlaceCallRequest,
  by: { readonly connector: Connector; readonly calls: PlacesCalls },
): Promise<DialRequest> {
  const { login, agentId } = await chooseLogin(logins, { ...by, scope, loginId, target });
  return { callId: newId('call'), accountId: scope.accountId, agentId, login, target, dtmf, agentName };
}

function callToOpen(platform: Platform, dial: DialRequest, sampleRateHz: number): CallToOpen {
  const { callId, accountId, agentId, target: meetingUrl, agentName } = dial;
  const call = { callId, accountId, agentId, platform, meetingUrl, agentName, sampleRateHz };
  return { ...call, direction: 'outbound', caller: '' };
}
