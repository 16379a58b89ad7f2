import type { CancelTimer, Clock } from '../../../base/time.ts';
import type { AudioFormat } from '../../audio-format.ts';
import type { SpeechPreset } from '../../speech-preset.ts';
import type { StreamSynthesizer, TtsDialect, TtsParts, TtsVendor } from '../../tts/stream-synthesizer.ts';
import type { AlignedPart, SpokenPiece } from '../../tts/synthesizer.ts';
import { isTrueAt, numbersAt, objectAt, textAt, textsAt, type VendorMessage } from '../../vendor-message.ts';
import { faultOfMessage, socketUrl } from '../vendor-manners.ts';
import { ELEVENLABS } from './elevenlabs-manners.ts';

/** ElevenLabs allows five contexts per connection. A keep-alive without a context may count as one. */
const MAX_CONTEXTS = 4;
/** A context whose end is not confirmed counts as ended after this time. */
const CONTEXT_END_MS = 5_000;
/** The longest that ElevenLabs allows, in seconds, in case a keep-alive does not count. */
const INACTIVITY_TIMEOUT_S = 180;
const KEEP_ALIVE_MS = 10_000;
const VOICE_SETTINGS = ['stability', 'similarity_boost', 'style', 'use_speaker_boost', 'speed'];
/** Models that take a language. Others refuse it. */
const TAKES_LANGUAGE = /_v2_5$|_v[34](?:_|$)/;

/** The utterance that is spoken. */
interface Context {
  readonly contextId: string;
  readonly times: CharacterTimes;
  isLastSaid: boolean;
}

/**
 * Text-to-speech by ElevenLabs: one socket, one context per utterance, closed when the utterance ends or is cancelled.
 *
 * Source: https://elevenlabs.io/docs/api-reference/text-to-speech/v-1-text-to-speech-voice-id-multi-stream-input
 */
export const elevenLabsTts: TtsVendor = {
  manners: ELEVENLABS,
  // Higher rates need an expensive plan.
  ratesHz: [16_000, 22_050, 24_000],
  newDialect: (parts) => new Contexts(parts),
};

class Contexts implements TtsDialect {
  readonly url: string;
  readonly keepAlive = { afterMs: KEEP_ALIVE_MS, message: () => this.#keepAlive() };
  readonly farewell = '{"close_socket":true}';
  readonly #settings: Readonly<Record<string, unknown>>;
  readonly #clock: Clock;
  readonly #speech: StreamSynthesizer;
  #context: Context | null = null;
  #contexts = 0;
  /** Cancelled contexts that the vendor has not ended. */
  readonly #ending = new Map<string, CancelTimer>();

  constructor({ preset, format, clock, speech }: TtsParts) {
    const { options } = preset;
    this.url = urlOf(preset, format);
    this.#settings = Object.fromEntries(
      VOICE_SETTINGS.filter((name) => options[name] !== undefined).map((name) => [name, options[name]]),
    );
    this.#clock = clock;
    this.#speech = speech;
  }

  isReady(isFirst: boolean): boolean {
    return !isFirst || this.#ending.size < MAX_CONTEXTS;
  }

  opened(): void {
    this.close();
  }

  close(): void {
    this.#context = null;
    for (const cancel of this.#ending.values()) cancel();
    this.#ending.clear();
  }

  say({ text, isLast }: SpokenPiece, isFirst: boolean): void {
    const context = isFirst || this.#context === null ? this.#newContext() : this.#context;
    const { contextId: context_id } = context;
    context.isLastSaid = isLast;
    this.#speech.send({ text: `${text.trim()} `, context_id, flush: true });
    if (isLast) this.#speech.send({ context_id, close_context: true });
  }

  abandon(): void {
    const context = this.#context;
    this.#context = null;
    if (context === null) return;
    const { contextId: context_id, isLastSaid } = context;
    if (!isLastSaid) this.#speech.send({ context_id, close_context: true });
    const cancel = this.#clock.after(CONTEXT_END_MS, () => this.#ended(context_id));
    this.#ending.set(context_id, cancel);
  }

  message(message: VendorMessage): void {
    if (textAt(message, 'error') !== null)
      return this.#speech.drop(faultOfMessage(ELEVENLABS, message, 'refused'));
    const contextId = textAt(message, 'contextId') ?? textAt(message, 'context_id');
    const context = this.#context;
    if (context !== null && (contextId === null || contextId === context.contextId))
      this.#takePart(context, message);
    else if (contextId !== null && isFinal(message)) this.#ended(contextId);
  }

  #newContext(): Context {
    this.#contexts += 1;
    const context_id = `utterance-${this.#contexts}`;
    const context = { contextId: context_id, times: new CharacterTimes(), isLastSaid: false };
    this.#context = context;
    // Settings count only in the first message.
    this.#speech.send({ text: ' ', context_id, voice_settings: this.#settings });
    return context;
  }

  /** Whoever hears the audio may cancel the utterance. */
  #takePart(context: Context, message: VendorMessage): void {
    const parts = context.times.read(message, this.#speech.audioMs);
    this.#speech.audio(Buffer.from(textAt(message, 'audio') ?? '', 'base64'));
    if (this.#context === context) this.#speech.aligned(parts);
    if (isFinal(message) && this.#context === context) this.#finish(context);
  }

  #finish({ isLastSaid }: Context): void {
    this.#context = null;
    if (isLastSaid) this.#speech.end();
    else this.#speech.fail({ kind: 'unreachable', words: 'ElevenLabs ended the utterance early' });
  }

  #ended(contextId: string): void {
    this.#ending.get(contextId)?.();
    this.#ending.delete(contextId);
    this.#speech.advance();
  }

  /** Names a context only after its first message: otherwise ElevenLabs would refuse that one. */
  #keepAlive(): string {
    return JSON.stringify({ text: '', ...(this.#context && { context_id: this.#context.contextId }) });
  }
}

function isFinal(message: VendorMessage): boolean {
  return isTrueAt(message, 'isFinal') || isTrueAt(message, 'is_final');
}

function urlOf({ url, options }: SpeechPreset, { encoding, sampleRateHz }: AudioFormat): string {
  const voice = textAt(options, 'voice') ?? 'bIHbv24MWmeRgasZH58o';
  const model = textAt(options, 'model') ?? 'eleven_turbo_v2_5';
  const normalization = textAt(options, 'apply_text_normalization');
  return socketUrl(url, `/v1/text-to-speech/${encodeURIComponent(voice)}/multi-stream-input`, {
    model_id: model,
    output_format: encoding === 'mulaw' ? 'ulaw_8000' : `pcm_${sampleRateHz}`,
    language_code: TAKES_LANGUAGE.test(model) ? textAt(options, 'language') : null,
    // Text comes in whole sentences.
    auto_mode: true,
    sync_alignment: true,
    inactivity_timeout: INACTIVITY_TIMEOUT_S,
    // Most plans may not ask for it with the turbo and flash models.
    apply_text_normalization: normalization === 'auto' ? null : normalization,
  });
}

/** Names of the lists, old ones included. */
const STARTS = ['charStartTimesMs', 'char_start_times_ms'];
const DURATIONS = ['charDurationsMs', 'charsDurationsMs', 'char_durations_ms', 'chars_durations_ms'];

/**
 * When the characters of an utterance are spoken. ElevenLabs counts from the beginning of each message's audio, by its
 * description, or from that of the utterance, as others have seen: a time that runs back tells.
 */
class CharacterTimes {
  /** The end of the last message's characters, as ElevenLabs counts. */
  #endMs = 0;
  #isPerMessage = false;

  /** `beforeMs`: the utterance's audio before this message. */
  read(message: VendorMessage, beforeMs: number): AlignedPart[] {
    const alignment = alignmentOf(message);
    const chars = textsAt(alignment, 'chars');
    const starts = listOf(alignment, STARTS);
    const first = starts[0];
    if (first === undefined || chars.length !== starts.length) return [];
    this.#isPerMessage ||= first < this.#endMs;
    this.#endMs = Math.max(...starts) + (listOf(alignment, DURATIONS).at(-1) ?? 1);
    const offsetMs = this.#isPerMessage ? beforeMs : 0;
    return chars.map((text, at) => ({ text, startMs: Math.round(offsetMs + (starts[at] ?? 0)) }));
  }
}

/** The one of the text as it was sent comes first. */
function alignmentOf(message: VendorMessage): VendorMessage {
  const names = ['alignment', 'normalizedAlignment', 'normalized_alignment'];
  return names.map((name) => objectAt(message, name)).find((each) => Array.isArray(each.chars)) ?? {};
}

function listOf(alignment: VendorMessage, names: readonly string[]): readonly number[] {
  return names.map((name) => numbersAt(alignment, name)).find((list) => list.length > 0) ?? [];
}
