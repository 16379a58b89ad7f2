import type { AgentScope } from '../base/scope.ts';
import { type CallDomain, liveCall } from './call-domain.ts';

/**
 * Speaks with hosted TTS. Returns the id of the utterance.
 * @throws GatewayError `call_not_found`, and those of `HostedSpeech.say`
 */
export function say(domain: CallDomain, scope: AgentScope, callId: string, text: string): string {
  return domain.speech.say(liveCall(domain, scope, callId), text);
}

/** Drops all hosted utterances of the call. Does nothing without one. @throws GatewayError `call_not_found` */
export function stopSpeaking(domain: CallDomain, scope: AgentScope, callId: string): void {
  domain.speech.stopSpeaking(liveCall(domain, scope, callId));
}
