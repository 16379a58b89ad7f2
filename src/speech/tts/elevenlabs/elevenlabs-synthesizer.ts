import type { CancelTimer } from '../../../base/time.ts';
import { type AudioFormat, bytesPerSample, bytesPerSecond, nearestFormat } from '../../audio-format.ts';
import type { SpeechPreset } from '../../speech-preset.ts';
import { isTrueAt, textAt, type VendorMessage } from '../../vendor-message.ts';
import type { VendorSocketDeps } from '../../vendor-socket.ts';
import { socketUrl } from '../../vendor-url.ts';
import { ELEVENLABS } from '../../vendors/elevenlabs/elevenlabs-manners.ts';
import { endpointOf, faultOfMessage } from '../../vendors/vendor-manners.ts';
import type { SpokenPiece, Synthesizer, SynthesizerObserver } from '../synthesizer.ts';
import { UtteranceLink } from '../utterance-link.ts';
import { WholeSamples } from '../whole-samples.ts';
import { CharacterTimes } from './character-times.ts';

/** Higher rates need an expensive plan. */
const RATES_HZ = [16_000, 22_050, 24_000] as const;
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
  readonly samples: WholeSamples;
  readonly times: CharacterTimes;
  /** Bytes of audio so far. */
  received: number;
  isLastSaid: boolean;
}

/**
 * Text-to-speech by ElevenLabs: one socket, one context per utterance, closed when the utterance ends or is cancelled.
 *
 * Source: https://elevenlabs.io/docs/api-reference/text-to-speech/v-1-text-to-speech-voice-id-multi-stream-input
 */
export class ElevenLabsSynthesizer implements Synthesizer {
  readonly format: AudioFormat;
  readonly #settings: Readonly<Record<string, unknown>>;
  readonly #deps: VendorSocketDeps;
  readonly #observer: SynthesizerObserver;
  readonly #link: UtteranceLink;
  #context: Context | null = null;
  #contexts = 0;
  /** Cancelled contexts that the vendor has not ended. */
  readonly #ending = new Map<string, CancelTimer>();

  /** `rateHz` is the rate of the call. */
  constructor(preset: SpeechPreset, rateHz: number, deps: VendorSocketDeps, observer: SynthesizerObserver) {
    const { options } = preset;
    this.format = nearestFormat(RATES_HZ, rateHz);
    this.#settings = Object.fromEntries(
      VOICE_SETTINGS.filter((name) => options[name] !== undefined).map((name) => [name, options[name]]),
    );
    this.#deps = deps;
    this.#observer = observer;
    this.#link = new UtteranceLink(
      {
        endpoint: endpointOf(ELEVENLABS, urlOf(preset, this.format), preset.key),
        keepAlive: { afterMs: KEEP_ALIVE_MS, message: () => this.#keepAlive() },
        isReady: () => this.#ending.size < MAX_CONTEXTS,
        opened: () => this.#forgetContexts(),
        say: (piece, isFirst) => this.#say(piece, isFirst),
        abandon: () => this.#abandon(),
        message: (message) => this.#take(message),
        binary: () => {},
      },
      deps,
      observer,
    );
  }

  speak(piece: SpokenPiece): void {
    this.#link.speak(piece);
  }

  cancel(utteranceId: string): void {
    this.#link.cancel(utteranceId);
  }

  async close(): Promise<void> {
    this.#forgetContexts();
    await this.#link.close(JSON.stringify({ close_socket: true }));
  }

  #say({ text, isLast }: SpokenPiece, isFirst: boolean): void {
    const context = isFirst || this.#context === null ? this.#newContext() : this.#context;
    const { contextId: context_id } = context;
    context.isLastSaid = isLast;
    this.#send({ text: `${text.trim()} `, context_id, flush: true });
    if (isLast) this.#send({ context_id, close_context: true });
  }

  #abandon(): void {
    const context = this.#context;
    this.#context = null;
    if (context === null) return;
    const { contextId: context_id, isLastSaid } = context;
    if (!isLastSaid) this.#send({ context_id, close_context: true });
    const cancel = this.#deps.clock.after(CONTEXT_END_MS, () => this.#ended(context_id));
    this.#ending.set(context_id, cancel);
  }

  #take(message: VendorMessage): void {
    if (textAt(message, 'error') !== null)
      return this.#link.drop(faultOfMessage(ELEVENLABS, message, 'refused'));
    const contextId = textAt(message, 'contextId') ?? textAt(message, 'context_id');
    const context = this.#context;
    if (context !== null && (contextId === null || contextId === context.contextId))
      this.#takePart(context, message);
    else if (contextId !== null && isFinal(message)) this.#ended(contextId);
  }

  #newContext(): Context {
    this.#contexts += 1;
    const context = {
      contextId: `utterance-${this.#contexts}`,
      samples: new WholeSamples(bytesPerSample(this.format)),
      times: new CharacterTimes(),
      received: 0,
      isLastSaid: false,
    };
    this.#context = context;
    // Settings count only in the first message.
    this.#send({ text: ' ', context_id: context.contextId, voice_settings: this.#settings });
    return context;
  }

  #takePart(context: Context, message: VendorMessage): void {
    const { utteranceId } = this.#link;
    const beforeMs = (1_000 * context.received) / bytesPerSecond(this.format);
    const audio = Buffer.from(textAt(message, 'audio') ?? '', 'base64');
    const parts = context.times.read(message, beforeMs);
    context.received += audio.length;
    this.#link.audio(context.samples.take(audio));
    if (parts.length > 0 && utteranceId !== null && this.#context === context)
      this.#observer.aligned(utteranceId, parts);
    if (isFinal(message) && this.#context === context) this.#finish(context);
  }

  #finish({ isLastSaid }: Context): void {
    this.#context = null;
    if (isLastSaid) this.#link.end();
    else this.#link.fail({ kind: 'unreachable', words: 'ElevenLabs ended the utterance early' });
  }

  #ended(contextId: string): void {
    this.#ending.get(contextId)?.();
    this.#ending.delete(contextId);
    this.#link.advance();
  }

  #forgetContexts(): void {
    this.#context = null;
    for (const cancel of this.#ending.values()) cancel();
    this.#ending.clear();
  }

  /** Names a context only after its first message: otherwise ElevenLabs would refuse that one. */
  #keepAlive(): string {
    return JSON.stringify({ text: '', ...(this.#context && { context_id: this.#context.contextId }) });
  }

  #send(message: object): void {
    this.#link.send(JSON.stringify(message));
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
