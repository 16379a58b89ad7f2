import { GatewayError } from '../base/errors.ts';
import type { Capability } from '../base/platform.ts';
import type { AgentScope } from '../base/scope.ts';
import type { CallActor } from './call-actor.ts';
import type { CallDomain } from './call-domain.ts';
import { liveCall } from './find-call.ts';

/** Sends a message to the meeting's chat. @throws GatewayError `call_not_found`, `capability_missing` */
export function sendChat(domain: CallDomain, scope: AgentScope, callId: string): never {
  throw missing(liveCall(domain, scope, callId), 'write', 'chat');
}

/** Shows a typing indicator in the meeting's chat. @throws GatewayError `call_not_found`, `capability_missing` */
export function showTyping(domain: CallDomain, scope: AgentScope, callId: string): never {
  throw missing(liveCall(domain, scope, callId), 'typing', 'typing indicators');
}

/** No connected platform has a meeting chat yet. The first one that does turns this into a dispatch. */
function missing({ identity: { platform } }: CallActor, capability: Capability, what: string): GatewayError {
  const detail = `The ${platform} platform has no ${what} (capability '${capability}')`;
  return new GatewayError('capability_missing', detail);
}
