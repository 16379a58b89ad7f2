import * as z from 'zod';
import { field } from '../../../base/platform-json.ts';
import type { AskVendor, VendorHeaders } from '../ask-vendor.ts';
import { bodyOf, type KeyManners, type VendorError, verdictOf } from '../key-verdict.ts';
import type { KeyVerdict, Voice, VoiceList } from '../provider.ts';

const PAGE_SIZE = 100;
const MAX_PAGES = 5;

/** Old answers have `status`, new ones `code`; a failed validation has a list. */
const ErrorBody = z.object({
  detail: z.union([
    z.object({ code: field(z.string()), status: field(z.string()), message: field(z.string()) }),
    z.string().transform((message) => ({ code: undefined, status: undefined, message })),
  ]),
});

const VoicesPage = z.object({
  voices: z.array(
    z.object({
      voice_id: z.string(),
      name: field(z.string().nullable()),
      description: field(z.string().nullable()),
      labels: field(z.record(z.string(), z.string().nullable()).nullable()),
      preview_url: field(z.string().nullable()),
      verified_languages: field(z.array(z.object({ language: z.string() })).nullable()),
    }),
  ),
  has_more: field(z.boolean()),
  next_page_token: field(z.string().nullable()),
});
type VoiceEntry = z.output<typeof VoicesPage>['voices'][number];

const headers: VendorHeaders = (key) => ({ 'xi-api-key': key });

const MANNERS: KeyManners = {
  readError,
  // A genuine key answers 401 as well when it lacks a permission or money.
  codes: { missing_permissions: 'limited_scope', quota_exceeded: 'out_of_funds' },
};

/** Lists one voice: `/v1/user` would need a permission of its own. */
export async function checkKey(ask: AskVendor): Promise<KeyVerdict> {
  return verdictOf(await ask('/v2/voices?page_size=1', headers), MANNERS);
}

export async function listVoices(ask: AskVendor): Promise<VoiceList> {
  const voices: Voice[] = [];
  let token = '';
  for (let page = 0; page < MAX_PAGES; page++) {
    const query = new URLSearchParams({
      page_size: `${PAGE_SIZE}`,
      ...(token === '' ? {} : { next_page_token: token }),
    });
    const answer = bodyOf(VoicesPage, await ask(`/v2/voices?${query}`, headers), MANNERS);
    voices.push(...answer.voices.map(voiceOf));
    token = answer.next_page_token ?? '';
    if (!answer.has_more || token === '') return { voices, isCut: false };
  }
  return { voices, isCut: true };
}

function voiceOf({ voice_id: id, name, labels, ...entry }: VoiceEntry): Voice {
  const verified = entry.verified_languages?.map(({ language }) => language) ?? [];
  return {
    id,
    name: name ?? id,
    description: entry.description ?? null,
    languages:
      verified.length > 0
        ? [...new Set(verified)]
        : [labels?.language].filter((one) => typeof one === 'string'),
    gender: labels?.gender ?? null,
    previewUrl: entry.preview_url ?? null,
  };
}

function readError(body: unknown): VendorError {
  const { data } = ErrorBody.safeParse(body);
  const detail = data?.detail;
  return { code: detail?.code ?? detail?.status ?? '', words: detail?.message ?? '' };
}
