import type { SpeechKind, SpeechProviderName } from '../../base/speech.ts';
import type { OptionField } from '../options/option-field.ts';
import type { AskVendor, KeyQuestion } from './ask-vendor.ts';
import type { VoiceList } from './voices.ts';

/** A place where a provider runs. Keys are sent to these hosts only. */
export interface Region {
  readonly name: string;
  readonly title: string;
  /** Origin of its HTTP API, without a trailing slash. Its WebSockets have the same host. */
  readonly url: string;
}

/** A model that its provider ends, or has ended. */
export interface ModelEnd {
  /** Includes its dated versions: `sonic-2` stands for `sonic-2-2025-04-16` as well. */
  readonly model: string;
  /** YYYY-MM-DD in UTC, the first day without it. */
  readonly endsOn: string;
  /** The model to use instead; null: the provider names none. */
  readonly successor: string | null;
}

/** What a provider offers of one kind. */
export interface SpeechService {
  readonly fields: readonly OptionField[];
  readonly modelEnds: readonly ModelEnd[];
  /** What has to be installed on this machine first, for people; null: nothing. */
  readonly missing?: () => string | null;
}

/** A speech provider, as the main thread knows it. */
export interface SpeechProvider {
  readonly name: SpeechProviderName;
  readonly title: string;
  /** The default first. Empty: it runs in the gateway. */
  readonly regions: readonly Region[];
  readonly kinds: { readonly [kind in SpeechKind]?: SpeechService };
  /** Null: it needs no key. */
  readonly keys: KeyQuestion | null;
  /** Rejects with VendorFailed, or with VendorRefused when the key is refused. Null: it does not speak. */
  readonly listVoices: ((ask: AskVendor) => Promise<VoiceList>) | null;
}
