import * as z from 'zod';
import { field } from '../../../base/platform-json.ts';
import type { AskVendor, VendorHeaders } from '../ask-vendor.ts';
import { bodyOf, type KeyManners, type VendorError, verdictOf } from '../key-verdict.ts';
import type { KeyVerdict, VoiceList } from '../provider.ts';

/** OpenAI lists its voices in its documentation only. */
export const OPENAI_VOICES: readonly string[] = [
  'alloy',
  'ash',
  'ballad',
  'cedar',
  'coral',
  'echo',
  'fable',
  'marin',
  'nova',
  'onyx',
  'sage',
  'shimmer',
  'verse',
];
/** tts-1 and tts-1-hd do not have these. */
const NEWER_VOICES: ReadonlySet<string> = new Set(['ballad', 'cedar', 'marin', 'verse']);

const ErrorBody = z.object({
  error: z.object({ code: field(z.string().nullable()), message: field(z.string()) }),
});

/** How a restricted key is told apart from a wrong one, whose code is `invalid_api_key`. */
const MISSING_SCOPE = /insufficient permissions|missing scopes/i;

const headers: VendorHeaders = (key) => ({ Authorization: `Bearer ${key}` });

const MANNERS: KeyManners = {
  readError,
  codes: {
    invalid_api_key: 'invalid',
    missing_scope: 'limited_scope',
    insufficient_quota: 'out_of_funds',
    billing_not_active: 'out_of_funds',
  },
};

export async function checkKey(ask: AskVendor): Promise<KeyVerdict> {
  return verdictOf(await ask('/v1/models', headers), MANNERS);
}

/** The voices are the same for every key, which is checked nevertheless. */
export async function listVoices(ask: AskVendor): Promise<VoiceList> {
  bodyOf(z.unknown(), await ask('/v1/models', headers), MANNERS);
  const voices = OPENAI_VOICES.map((id) => ({
    id,
    name: id,
    description: NEWER_VOICES.has(id) ? 'Not with tts-1 and tts-1-hd' : null,
    languages: [],
    gender: null,
    previewUrl: null,
  }));
  return { voices, isCut: false };
}

function readError(body: unknown): VendorError {
  const { data } = ErrorBody.safeParse(body);
  const { code, message: words = '' } = data?.error ?? {};
  if (code !== 'invalid_api_key' && MISSING_SCOPE.test(words)) return { code: 'missing_scope', words };
  return { code: code ?? '', words };
}
