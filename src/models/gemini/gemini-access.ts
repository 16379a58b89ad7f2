/** Where one agent's requests to Gemini go, and what proves that they may. */
export interface GeminiAccess {
  /** Interactions are at `/interactions` below it. */
  readonly base: string;
  /** The models that there are; one of them at `/<id>` below it. */
  readonly models: string;
  /** To be kept out of words that are shown. */
  readonly secrets: readonly string[];
  /** Rejects with a ModelFault, and with the signal's reason once it aborts. */
  headers(signal: AbortSignal): Promise<Readonly<Record<string, string>>>;
}

const HOST = 'https://generativelanguage.googleapis.com';

/** The key goes into a header: URLs are logged on their way. https://ai.google.dev/gemini-api/docs/api-key */
export function accessByKey(key: string, host: string = HOST): GeminiAccess {
  const base = `${host}/v1`;
  return {
    base,
    models: `${base}/models`,
    secrets: [key],
    headers: async () => ({ 'x-goog-api-key': key }),
  };
}
