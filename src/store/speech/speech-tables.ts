import type { SpeechKind, SpeechProviderName } from '../../base/speech.ts';

/** The tables of this folder by name. */
export interface SpeechTables {
  voiceConfigs: VoiceConfigsTable;
}

export const KEY_STATUSES = ['valid', 'limited_scope', 'out_of_funds', 'invalid', 'not_needed'] as const;
/** What the provider said of a key when it was asked last. */
export type KeyStatus = (typeof KEY_STATUSES)[number];

/** The value of an option of a preset. */
export type OptionValue = string | number | boolean | readonly string[];
export type PresetOptions = Readonly<Record<string, OptionValue>>;

/** A voice preset. At most one of each kind is enabled per account. */
export interface VoiceConfigsTable {
  /** A UUID in lower case. */
  id: string;
  accountId: string;
  kind: SpeechKind;
  provider: SpeechProviderName;
  name: string;
  /** Null: the provider's default region. */
  region: string | null;
  /** Only what was given; everything else has its default. */
  options: PresetOptions;
  /** Null: the provider needs no key. */
  sealedKey: string | null;
  enabled: boolean;
  keyStatus: KeyStatus;
  /** The provider's words about the key; null if it had none. */
  keyDetail: string | null;
  /** When the provider was asked last. */
  checkedAt: string;
  createdAt: string;
  updatedAt: string;
}
