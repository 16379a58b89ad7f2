import type { CallActor } from './call-actor.ts';
import type { CallSubscriber } from './call-publisher.ts';

/** Hosted speech as calls see it. It follows what happens on them. */
export interface HostedSpeech extends CallSubscriber {
  /**
   * Speaks a text after those said before, once the call is active. Returns the id of the utterance, which `utterance`
   * events name.
   * @throws GatewayError `tts_not_configured`, `capability_missing`, `too_much_speech`, `speech_failed`
   */
  say(call: CallActor, text: string): string;
  /** Drops everything said so far, heard or not. Does nothing without. */
  stopSpeaking(call: CallActor): void;
}
