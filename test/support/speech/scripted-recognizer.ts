import type { AudioFormat } from '../../../src/speech/audio-format.ts';
import type { Recognizer, RecognizerObserver } from '../../../src/speech/stt/recognizer.ts';

/** A recognizer that does nothing by itself: the test plays the vendor. */
export class ScriptedRecognizer implements Recognizer {
  readonly vendor: RecognizerObserver;
  readonly format: AudioFormat;
  readonly chunkMs: number;
  readonly chunks: Uint8Array[] = [];
  flushes = 0;
  isClosed = false;

  constructor(
    vendor: RecognizerObserver,
    { format, chunkMs }: { readonly format: AudioFormat; readonly chunkMs: number },
  ) {
    this.vendor = vendor;
    this.format = format;
    this.chunkMs = chunkMs;
  }

  hear(chunk: Uint8Array): void {
    this.chunks.push(chunk);
  }

  flush(): void {
    this.flushes++;
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }

  /** Understands this. */
  says(text: string, speaker: string | null = null): void {
    this.vendor.final({ text, startMs: null, endMs: null, confidence: null, language: null, speaker });
  }

  /** Everything heard, for a recognizer that takes linear samples. */
  get samples(): Int16Array {
    const bytes = Buffer.concat(this.chunks);
    return new Int16Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 2);
  }

  get heardMs(): number {
    return this.chunks.length * this.chunkMs;
  }
}
