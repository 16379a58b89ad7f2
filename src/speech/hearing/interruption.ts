import type { SpeechPreset } from '../speech-preset.ts';
import { Backchannels } from './backchannels.ts';

/** What happens when somebody speaks over an utterance, as its preset says. */
export interface Interruption {
  /** `auto`: it stops; `pause`: it pauses first, and goes on if they do not want the turn; `off`: nothing. */
  readonly how: 'auto' | 'pause' | 'off';
  /** A shorter voice does not want the turn. Null: as is usual for `how`. */
  readonly leastMs: number | null;
  readonly backchannels: Backchannels;
}

/** Reads it from the options of a preset, which have been validated. */
export function interruptionOf(options: SpeechPreset['options']): Interruption {
  const { interruption, interruption_ms, backchannels } = options;
  return {
    how: interruption === 'pause' || interruption === 'off' ? interruption : 'auto',
    leastMs: typeof interruption_ms === 'number' ? interruption_ms : null,
    backchannels: new Backchannels(Array.isArray(backchannels) ? (backchannels as readonly string[]) : null),
  };
}
