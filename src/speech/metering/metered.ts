import type { Clock } from '../../base/time.ts';
import { bytesPerSecond } from '../audio-format.ts';
import type { Recognizer, RecognizerObserver } from '../stt/recognizer.ts';
import type { Synthesizer, SynthesizerObserver } from '../tts/synthesizer.ts';
import type { SpeechMeter } from './speech-meter.ts';

interface MeterDeps {
  readonly meter: SpeechMeter;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}

/** A synthesizer that is metered: what it is asked for, what it sends, and how soon. */
export function meteredSynthesizer(
  connect: (observer: SynthesizerObserver) => Synthesizer,
  observer: SynthesizerObserver,
  { meter, clock }: MeterDeps,
): Synthesizer {
  /** When each utterance was asked for; null once it has audio. */
  const asked = new Map<string, number | null>();
  const metered = metering(observer, {
    audio: (utteranceId, data) => {
      meter.spoke((data.length * 1000) / bytesPerSecond(synthesizer.format));
      const askedMs = asked.get(utteranceId) ?? null;
      if (askedMs === null) return;
      asked.set(utteranceId, null);
      meter.firstByte(clock.monotonicMs() - askedMs);
    },
    ended: (utteranceId) => void asked.delete(utteranceId),
    failed: (utteranceId) => {
      if (utteranceId === null) asked.clear();
      else asked.delete(utteranceId);
    },
  });
  const synthesizer = connect(metered);
  return {
    format: synthesizer.format,
    speak(piece) {
      if (!asked.has(piece.utteranceId)) asked.set(piece.utteranceId, clock.monotonicMs());
      meter.asked(piece.text.length);
      synthesizer.speak(piece);
    },
    cancel(utteranceId) {
      asked.delete(utteranceId);
      synthesizer.cancel(utteranceId);
    },
    close: () => synthesizer.close(),
  };
}

/** A recognizer that is metered: how much it hears, and how soon its final results come. */
export function meteredRecognizer(
  connect: (observer: RecognizerObserver) => Recognizer,
  observer: RecognizerObserver,
  { meter, clock }: MeterDeps,
): Recognizer {
  let heardMs = 0;
  let flushedAtMs: number | null = null;
  const metered = metering(observer, {
    /** Audio comes as fast as it is spoken, so a result is as old as the audio after its end is long. */
    final: ({ endMs }) => {
      if (endMs !== null) meter.final(Math.max(0, heardMs - endMs));
      else if (flushedAtMs !== null) meter.final(clock.monotonicMs() - flushedAtMs);
      flushedAtMs = null;
    },
  });
  const recognizer = connect(metered);
  const { format, chunkMs } = recognizer;
  return {
    format,
    chunkMs,
    hear(chunk) {
      const milliseconds = (chunk.length * 1000) / bytesPerSecond(format);
      heardMs += milliseconds;
      meter.heard(milliseconds);
      recognizer.hear(chunk);
    },
    flush() {
      flushedAtMs = clock.monotonicMs();
      recognizer.flush();
    },
    close: () => recognizer.close(),
  };
}

/** Returns an observer that counts, and then tells the other one. */
function metering<Observer extends object>(observer: Observer, counts: Partial<Observer>): Observer {
  type Method = ((...args: unknown[]) => void) | undefined;
  return new Proxy(observer, {
    get: (target, name) => {
      const [count, tell] = [Reflect.get(counts, name) as Method, Reflect.get(target, name) as Method];
      return (...args: unknown[]): void => {
        count?.(...args);
        tell?.apply(target, args);
      };
    },
  });
}
