import { GatewayError } from '../base/errors.ts';
import type { Capability } from '../base/platform.ts';
import type { AgentScope } from '../base/scope.ts';
import type { CallDomain } from './call-domain.ts';
import { liveCall } from './find-call.ts';

/** Sends a message to the meeting's chat. @throws GatewayError `call_not_found`, `capability_missing` */
export function sendChat(domain: CallDomain, scope: AgentScope, callId: string): never {
  return lacks(domain, scope, callId, { capability: 'write', what: 'chat' });
}

/** Shows a typing indicator in the meeting's chat. @throws GatewayError `call_not_found`, `capability_missing` */
export function showTyping(domain: CallDomain, scope: AgentScope, callId: string): never {
  return lacks(domain, scope, callId, { capability: 'typing', what: 'typing indicators' });
}

interface Lack {
  readonly capability: Capability;
  readonly what: string;
}

/** No connected platform has a meeting chat yet. The first one that does turns this into a dispatch. */
function lacks(domain: CallDomain, scope: AgentScope, callId: string, { capability, what }: Lack): never {
  const { platform } = liveCall(domain, scope, callId).identity;
  throw new GatewayError(
    'capability_missing',
    `The ${platform} platform has no ${what} (capability '${capability}')`,
  );
}
