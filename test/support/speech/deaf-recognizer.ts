import type { AudioFormat } from '../../../src/speech/audio-format.ts';
import type { Recognizer } from '../../../src/speech/stt/recognizer.ts';

/** A vendor that understands nothing. */
export class DeafRecognizer implements Recognizer {
  readonly format: AudioFormat = { encoding: 'mulaw', sampleRateHz: 8_000 };
  readonly chunkMs = 100;

  hear(): void {}

  flush(): void {}

  async close(): Promise<void> {}
}
