import { OpenAiAudio } from '../../fakes/openai/audio-routes.ts';
import type { FakeVendor } from '../../fakes/speech-vendor/fake-vendor.ts';
import { toneSpeech } from '../../fakes/tone-speech.ts';
import { speech } from '../../support/speech-signal.ts';

export const ROOM_HZ = 8_000;
/** What callers say. The second one takes longer. */
export const FIRST = 'alpha bravo charlie';
export const SECOND = 'delta echo foxtrot golf hotel';
/** Between the lengths of both, spoken by Flite, as the gateway cuts them. */
const BETWEEN_MS = 2_350;

/** Says a text at 8 kHz. */
export type CallerVoice = (text: string) => Int16Array;

/**
 * The voice of those whom a vendor listens to: tones. For OpenAI it is Flite, because the gateway itself finds what is
 * said, and takes no tone for speech; the vendor then tells both texts by their lengths.
 */
export function voiceFor(vendor: FakeVendor): CallerVoice {
  if (vendor.manners.name !== 'openai') return tones;
  vendor.part(OpenAiAudio).understand = (_samples, _format, durationMs) =>
    durationMs < BETWEEN_MS ? FIRST : SECOND;
  return (text) => speech(text, ROOM_HZ);
}

function tones(text: string): Int16Array {
  return new Int16Array(toneSpeech(text, { encoding: 's16le', sampleRateHz: ROOM_HZ }).slice().buffer);
}
