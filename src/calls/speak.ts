import { GatewayError } from '../base/errors.ts';
import type { AgentScope } from '../base/scope.ts';
import type { CallDomain } from './call-domain.ts';
import { liveCall } from './find-call.ts';

/**
 * Speaks with hosted TTS. Nothing can speak yet, whatever the call's presets are, so this always throws.
 * @throws GatewayError `call_not_found`, `tts_not_configured`
 */
export function say(domain: CallDomain, scope: AgentScope, callId: string): never {
  liveCall(domain, scope, callId);
  throw new GatewayError('tts_not_configured');
}

/** Cancels the current hosted utterance. Does nothing without one. @throws GatewayError `call_not_found` */
export function stopSpeaking(domain: CallDomain, scope: AgentScope, callId: string): void {
  liveCall(domain, scope, callId);
}
