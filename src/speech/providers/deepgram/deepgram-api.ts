import * as z from 'zod';
import { field } from '../../../base/platform-json.ts';
import type { AskVendor, VendorHeaders } from '../ask-vendor.ts';
import { bodyOf, type KeyManners, type VendorError, verdictOf } from '../key-verdict.ts';
import type { KeyVerdict, Voice, VoiceList } from '../provider.ts';

const MAX_VOICES = 500;

/** Most answers have `err_code` and `err_msg`, newer ones `category` and `message`. */
const ErrorBody = z.object({
  err_code: field(z.string()),
  err_msg: field(z.string()),
  category: field(z.string()),
  message: field(z.string()),
});

const Models = z.object({
  tts: z
    .array(
      z.object({
        canonical_name: z.string(),
        name: field(z.string()),
        languages: field(z.array(z.string())),
        metadata: field(
          z.object({
            accent: field(z.string()),
            age: field(z.string()),
            tags: field(z.array(z.string())),
            sample: field(z.string()),
          }),
        ),
      }),
    )
    .default([]),
});
type ModelEntry = z.output<typeof Models>['tts'][number];

const headers: VendorHeaders = (key) => ({ Authorization: `Token ${key}` });

const MANNERS: KeyManners = { readError, codes: { INSUFFICIENT_PERMISSIONS: 'limited_scope' } };

export async function checkKey(ask: AskVendor): Promise<KeyVerdict> {
  return verdictOf(await ask('/v1/auth/token', headers), MANNERS);
}

/** Checks the key first: the list itself is open to everybody. */
export async function listVoices(ask: AskVendor): Promise<VoiceList> {
  bodyOf(z.unknown(), await ask('/v1/auth/token', headers), MANNERS);
  const { tts } = bodyOf(Models, await ask('/v1/models', headers), MANNERS);
  return { voices: tts.slice(0, MAX_VOICES).map(voiceOf), isCut: tts.length > MAX_VOICES };
}

function voiceOf({ canonical_name: id, name, languages, metadata }: ModelEntry): Voice {
  const tags = metadata?.tags ?? [];
  const traits = [metadata?.accent, metadata?.age, ...tags].filter((trait) => !!trait);
  return {
    id,
    name: name ?? id,
    description: traits.length > 0 ? traits.join(', ') : null,
    languages: languages ?? [],
    gender: tags.find((tag) => tag === 'feminine' || tag === 'masculine') ?? null,
    previewUrl: metadata?.sample ?? null,
  };
}

function readError(body: unknown): VendorError {
  const { data } = ErrorBody.safeParse(body);
  return { code: data?.err_code ?? data?.category ?? '', words: data?.err_msg ?? data?.message ?? '' };
}
