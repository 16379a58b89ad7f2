import { GatewayError } from '../../base/errors.ts';
import type { CallActor } from '../../calls/call-actor.ts';
import type { CallEvent } from '../../calls/call-event.ts';
import type { HostedSpeech } from '../../calls/call-publisher.ts';
import { isFinal, isHeard } from '../../calls/call-state.ts';
import { SpeechSession, type SpeechSessionDeps } from './speech-session.ts';
import type { SpeechSettings } from './speech-settings.ts';

export interface SpeechSessionsDeps extends SpeechSessionDeps {
  /** What speaks and listens on a call, from its presets. Asked once per call: changed presets apply to new calls. */
  readonly settingsOf: (call: CallActor) => SpeechSettings;
}

/** Hosted speech of all calls. A call without presets has none. */
export class SpeechSessions implements HostedSpeech {
  readonly #deps: SpeechSessionsDeps;
  readonly #sessions = new Map<string, SpeechSession>();
  readonly #ending = new Set<Promise<void>>();

  constructor(deps: SpeechSessionsDeps) {
    this.#deps = deps;
  }

  say(call: CallActor, text: string): string {
    const session = this.#sessionOf(call);
    if (session === null) throw new GatewayError('tts_not_configured');
    return session.say(text);
  }

  stopSpeaking(call: CallActor): void {
    this.#sessions.get(call.identity.callId)?.stop();
  }

  happened(call: CallActor, event: CallEvent): void {
    if (event.type === 'call_state') {
      if (event.state === 'active') this.#sessionOf(call);
      else if (isFinal(event.state)) this.#end(call.identity.callId);
    } else if (event.type === 'call_progress' || event.type === 'call_capabilities') {
      // An inbound call may be active before it has its presets.
      if (isHeard(call.state)) this.#sessionOf(call);
    } else if (event.type === 'call_speaking' && event.participant !== null)
      this.#sessions.get(call.identity.callId)?.name(event.voiceId, event.participant.name);
  }

  /** Resolves when the sessions of all calls that are over have ended. */
  async settled(): Promise<void> {
    await Promise.all(this.#ending);
  }

  #sessionOf(call: CallActor): SpeechSession | null {
    const { callId } = call.identity;
    const session = this.#sessions.get(callId) ?? this.#newSession(call);
    if (session === null) return null;
    this.#sessions.set(callId, session);
    if (isHeard(call.state)) session.begin();
    return session;
  }

  #newSession(call: CallActor): SpeechSession | null {
    const settings = this.#deps.settingsOf(call);
    const hasNone = settings.stt === null && settings.tts === null;
    return hasNone ? null : new SpeechSession(call, settings, this.#deps);
  }

  #end(callId: string): void {
    const session = this.#sessions.get(callId);
    if (session === undefined) return;
    this.#sessions.delete(callId);
    const ended: Promise<void> = session.end().finally(() => this.#ending.delete(ended));
    this.#ending.add(ended);
  }
}
