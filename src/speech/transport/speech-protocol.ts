import type { RecognizedLine } from '../../base/speech.ts';
import type { TransportProtocol } from '../../media/transport.ts';
import type { FrameRing } from '../../rings/frame-ring.ts';
import type { SpeechRings } from '../../rings/speech-rings.ts';
import type { UnheardReason } from '../hearing/hearing.ts';
import type { LocalWork } from '../local/local-places.ts';
import type { SpeechCounts } from '../metering/speech-meter.ts';
import type { SpeechFault } from '../speech-fault.ts';
import type { SpeechPreset } from '../speech-preset.ts';

/** What the main thread and the speech of one call, on a bridge thread, exchange. */
export const SPEECH_TRANSPORT: TransportProtocol<SpeechOpen, SpeechCommands, SpeechSignal> = {
  kind: 'speech',
  // Utterances and the vendor's sessions are lost with their thread.
  recovery: 'rejoin',
};

export interface SpeechOpen {
  /** In whose time vendors are read. */
  readonly accountId: string;
  readonly rings: SpeechRings;
  readonly roomRateHz: number;
  /** Null: the call does not speak. */
  readonly tts: ProviderSettings | null;
  /** Null: nobody understands what is said. */
  readonly stt: ProviderSettings | null;
  /** Null: nobody listens. Without `stt`, voices are heard only to know when they interrupt. */
  readonly voices: HeardVoices | null;
}

/** A provider, and what its clients need. */
export interface ProviderSettings {
  readonly provider: string;
  readonly preset: SpeechPreset;
}

export interface HeardVoices {
  /** The tap of each voice of the platform. */
  readonly taps: readonly FrameRing[];
  /** The only voice's speaker. Null: voices are named by `name`, and each is listened to while it speaks. */
  readonly speaker: string | null;
}

export interface SpeechCommands {
  /** Speaks after everything said before. Signals report what becomes of it. */
  say(utterance: SaidUtterance): void;
  /** Who a voice belongs to from now on. */
  name(voice: number, speaker: string): void;
  /** Whether `interim` signals are wanted. They are not until it is called. */
  wantInterims(areWanted: boolean): void;
  /** Answers `place_wanted`. */
  givePlace(placeId: number, isFree: boolean): void;
  /** Ends the sessions at the vendors. Resolves when the last results have been reported, within 2 s. */
  finish(): void;
}

export interface SaidUtterance {
  readonly utteranceId: string;
  readonly text: string;
  /** `asked` of the SpeechControl when it was said. A later stop drops it. */
  readonly generation: number;
}

export type SpeechSignal =
  | PlaceSignal
  | ({ readonly type: 'utterance' } & UtteranceReport)
  /** Somebody interrupts. The engine is yet to tell how much was heard, which `utterance` reports. */
  | { readonly type: 'silenced' }
  | ({ readonly type: 'transcript' } & RecognizedLine)
  /** What is understood so far of the next `transcript` of this speaker. */
  | ({ readonly type: 'interim' } & RecognizedLine)
  /** Somebody has started or stopped speaking. */
  | {
      readonly type: 'activity';
      readonly speaker: string;
      readonly state: 'started' | 'ended';
      /** The recognizer says so, which has heard words. */
      readonly isVendor: boolean;
    }
  /** Somebody has spoken, and nothing of it was understood. */
  | { readonly type: 'unheard'; readonly speaker: string; readonly reason: UnheardReason }
  | { readonly type: 'fault'; readonly service: SpeechService; readonly fault: SpeechFault }
  | { readonly type: 'reconnected'; readonly service: SpeechService }
  /** Audio of voices that was not listened to, because the bridge thread was late. */
  | { readonly type: 'missed'; readonly missedMs: number }
  /** Comes at most once a second, and at the end. */
  | ({ readonly type: 'counts' } & SpeechCounts);

/** A place at the engines of `local` is wanted, or is no longer needed. */
export type PlaceSignal =
  | { readonly type: 'place_wanted'; readonly placeId: number; readonly work: LocalWork }
  | { readonly type: 'place_left'; readonly placeId: number };

export type SpeechService = 'stt' | 'tts';

/** What has become of an utterance. `started` is the only state that another one follows. */
export interface UtteranceReport {
  readonly utteranceId: string;
  readonly state: 'started' | 'finished' | 'interrupted' | 'failed';
  /** Milliseconds of it that have left for the platform. */
  readonly playedMs: number;
  readonly spokenText: string;
  /** When its first audio came, by `wallMs`. Null: none has. */
  readonly audioMs: number | null;
  /** Whether `spokenText` is inferred from the time, because the vendor does not say when words are spoken. */
  readonly isEstimate: boolean;
}
