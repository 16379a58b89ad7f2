import type { Clock } from '../base/time.ts';
import type { AccountHttp } from './http/model-http.ts';
import type { ModelClient } from './model-client.ts';

/** The model providers that an agent can have. */
export const PROVIDER_NAMES = [
  'openai',
  'anthropic',
  'gemini',
  'foundry',
  'bedrock',
  'mistral',
  'custom',
] as const;

export type ProviderName = (typeof PROVIDER_NAMES)[number];

type Texts = Readonly<Record<string, string>>;

/** An agent's settings of a provider: fields that were given, and defaults of the others. */
export interface ModelSettings {
  readonly config: Texts;
  /** In memory only; never logged. */
  readonly secrets: Texts;
}

export interface ModelDeps {
  readonly http: AccountHttp;
  readonly clock: Clock;
  /** Hosts of providers in place of their own, without trailing slashes. */
  readonly urls: Readonly<Partial<Record<ProviderName, string | null>>>;
}

/** One setting of a provider. All values are strings. */
export interface ProviderField {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** A secret is encrypted and never shown. A url is where secrets are sent. */
  readonly kind: 'text' | 'url' | 'secret';
  readonly isRequired?: true;
  /** The text of a file, which may have several lines. */
  readonly isDocument?: true;
  readonly default?: string;
  /** Says why a URL can never be right; null: it may be. */
  readonly wrongUrl?: (url: URL) => string | null;
}

export interface ModelProvider {
  readonly name: ProviderName;
  readonly title: string;
  readonly fields: readonly ProviderField[];
  /** At least one of these fields is required. */
  readonly anyOf?: readonly string[];
  /** Creates a client. Throws ModelFault `bad_request` when the settings cannot be used. */
  readonly connect: (settings: ModelSettings, deps: ModelDeps) => ModelClient;
}
