import * as z from 'zod';
import { JsonApi, type ProviderError } from '../http/json-api.ts';
import { optionalField } from '../http/optional-field.ts';
import type { ModelFaultKind } from '../model-fault.ts';
import type { ModelDeps } from '../model-provider.ts';

const HOSTS = {
  global: 'https://api.mistral.ai',
  eu: 'https://api.eu.mistral.ai',
  us: 'https://api.us.mistral.ai',
} as const;
export type MistralRegion = keyof typeof HOSTS;
export const MISTRAL_REGIONS = Object.keys(HOSTS) as MistralRegion[];

/** What is wrong with a request, field by field. */
const Detail = z.array(
  z.object({ loc: optionalField(z.array(z.union([z.string(), z.number()]))), msg: z.string() }),
);

const ErrorBody = z.object({
  message: optionalField(z.union([z.string(), z.object({ detail: Detail })])),
  detail: optionalField(z.union([z.string(), Detail])),
  type: optionalField(z.string()),
});

const KINDS: Readonly<Record<string, ModelFaultKind>> = { invalid_model: 'not_found' };
const TOO_LONG = /too large for model|maximum context length|context window/i;

/** https://docs.mistral.ai/api */
export function mistralApi(key: string, region: MistralRegion, { http, clock, urls }: ModelDeps): JsonApi {
  const baseUrl = urls.mistral ?? HOSTS[region];
  const headers = { authorization: `Bearer ${key}` };
  return new JsonApi({ http, clock, baseUrl, headers, secrets: [key], readError });
}

function readError(body: unknown): ProviderError | null {
  const { message, detail, type = '' } = ErrorBody.safeParse(body).data ?? {};
  const said = typeof message === 'object' ? message.detail : (message ?? detail);
  if (said === undefined) return null;
  const words =
    typeof said === 'string' ? said : said.map(({ loc, msg }) => `${loc?.join('.')}: ${msg}`).join('; ');
  return { words, kind: wordedKind(words) ?? KINDS[type] };
}

/** What the words of an error say, whatever its status. */
export function wordedKind(words: string): ModelFaultKind | undefined {
  return TOO_LONG.test(words) ? 'too_long' : undefined;
}
