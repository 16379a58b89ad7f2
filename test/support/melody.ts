import { joined, mixed } from './speech-signal.ts';
import { tone } from './tone.ts';

const NOTES_HZ = [262, 330, 392, 330, 294, 349, 440, 349];
const NOTE_MS = 250;

/** A melody with chords and no pauses, as it is played to who waits. */
export function melody(ms: number, rateHz: number): Int16Array {
  const parts: Int16Array[] = [];
  for (let i = 0; i * NOTE_MS < ms; i++) {
    const hz = NOTES_HZ[i % NOTES_HZ.length]!;
    const length = (rateHz * NOTE_MS) / 1_000;
    const chord = [hz, hz * 1.5, hz * 2].map((each) => tone(each, rateHz, length, { amplitude: 2_500 }));
    parts.push(chord.reduce((sum, each) => mixed(sum, each)));
  }
  return joined(...parts);
}
