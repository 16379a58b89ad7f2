/** What a client needs of a preset. Plain data, because it crosses to a bridge thread. */
export interface SpeechPreset {
  /** Origin of the vendor's HTTP API, without a trailing slash. Its WebSockets have the same host. */
  readonly url: string;
  readonly key: string;
  /** By their names in the preset, validated. A client has a default for each one that is missing. */
  readonly options: Readonly<Record<string, unknown>>;
}
