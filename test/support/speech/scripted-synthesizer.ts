import type { AudioFormat } from '../../../src/speech/audio-format.ts';
import type { SpokenPiece, Synthesizer, SynthesizerObserver } from '../../../src/speech/tts/synthesizer.ts';

/** A synthesizer that does nothing by itself: the test plays the vendor. */
export class ScriptedSynthesizer implements Synthesizer {
  readonly format: AudioFormat;
  readonly vendor: SynthesizerObserver;
  readonly asked: SpokenPiece[] = [];
  readonly cancelled: string[] = [];
  isClosed = false;

  constructor(vendor: SynthesizerObserver, format: AudioFormat = { encoding: 's16le', sampleRateHz: 8_000 }) {
    this.vendor = vendor;
    this.format = format;
  }

  speak(piece: SpokenPiece): void {
    this.asked.push(piece);
  }

  cancel(utteranceId: string): void {
    this.cancelled.push(utteranceId);
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }

  get askedTexts(): string[] {
    return this.asked.map(({ text }) => text);
  }

  /** Sends so many milliseconds of a steady level. */
  sends(utteranceId: string, milliseconds: number): void {
    const samples = new Int16Array((this.format.sampleRateHz * milliseconds) / 1000).fill(8_000);
    this.vendor.audio(utteranceId, new Uint8Array(samples.buffer));
  }
}
