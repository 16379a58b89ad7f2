import * as z from 'zod';
import { type FaultTable, kindOfError } from '../fault-table.ts';
import { JsonApi, keyIn, type ProviderError, type Refusal } from '../http/json-api.ts';
import { optionalField } from '../http/optional-field.ts';
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

const FAULTS: FaultTable = {
  codes: { invalid_model: 'not_found' },
  words: [[/too large for model|maximum context length|context window/i, 'too_long']],
};

/** https://docs.mistral.ai/api */
export function mistralApi(key: string, region: MistralRegion, { http, clock, urls }: ModelDeps): JsonApi {
  return new JsonApi({
    http,
    clock,
    baseUrl: urls.mistral ?? HOSTS[region],
    credentials: keyIn({ authorization: `Bearer ${key}` }, key),
    readError,
  });
}

function readError(body: unknown, { status }: Refusal): ProviderError | null {
  const { message, detail, type = '' } = ErrorBody.safeParse(body).data ?? {};
  const said = typeof message === 'object' ? message.detail : (message ?? detail);
  if (said === undefined) return null;
  const words =
    typeof said === 'string' ? said : said.map(({ loc, msg }) => `${loc?.join('.')}: ${msg}`).join('; ');
  return errorOf(words, type, status);
}

/** `status`: absent where there is none, or none that is known. */
export function errorOf(message: string, type: string, status?: number): ProviderError {
  return { words: message, kind: kindOfError(FAULTS, { codes: [type], message, status }) };
}
