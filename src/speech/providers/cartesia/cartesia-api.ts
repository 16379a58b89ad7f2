import * as z from 'zod';
import { field } from '../../../base/platform-json.ts';
import type { AskVendor, VendorHeaders } from '../ask-vendor.ts';
import { bodyOf, type KeyManners, type VendorError, verdictOf } from '../key-verdict.ts';
import type { KeyVerdict, Voice, VoiceList } from '../provider.ts';

const PAGE_SIZE = 100;
const MAX_PAGES = 5;

/** The first version with structured errors. It decides the shape of everything else as well. */
export const CARTESIA_VERSION = '2026-03-01';

const ErrorBody = z.object({
  error_code: field(z.string().nullable()),
  title: field(z.string()),
  message: field(z.string()),
});

const VoicesPage = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      name: field(z.string()),
      description: field(z.string().nullable()),
      language: field(z.string().nullable()),
      gender: field(z.string().nullable()),
      preview_file_url: field(z.string().nullable()),
    }),
  ),
  has_more: field(z.boolean()),
});
type VoiceEntry = z.output<typeof VoicesPage>['data'][number];

const headers: VendorHeaders = (key) => ({
  Authorization: `Bearer ${key}`,
  'Cartesia-Version': CARTESIA_VERSION,
});

const MANNERS: KeyManners = { readError, codes: { quota_exceeded: 'out_of_funds' } };

export async function checkKey(ask: AskVendor): Promise<KeyVerdict> {
  return verdictOf(await ask('/voices?limit=1', headers), MANNERS);
}

export async function listVoices(ask: AskVendor): Promise<VoiceList> {
  const voices: Voice[] = [];
  for (let page = 0; page < MAX_PAGES; page++) {
    const after = voices.at(-1)?.id;
    const query = new URLSearchParams({
      limit: `${PAGE_SIZE}`,
      'expand[]': 'preview_file_url',
      ...(after === undefined ? {} : { starting_after: after }),
    });
    const { data, has_more } = bodyOf(VoicesPage, await ask(`/voices?${query}`, headers), MANNERS);
    voices.push(...data.map(voiceOf));
    if (!has_more || data.length === 0) return { voices, isCut: false };
  }
  return { voices, isCut: true };
}

function voiceOf({ id, name, description, language, gender, preview_file_url }: VoiceEntry): Voice {
  return {
    id,
    name: name ?? id,
    description: description ?? null,
    languages: language ? [language] : [],
    gender: gender ?? null,
    previewUrl: preview_file_url ?? null,
  };
}

/** Older versions, and proxies in front of it, answer in plain text. */
function readError(body: unknown): VendorError {
  const { data } = ErrorBody.safeParse(body);
  const words = [data?.title, data?.message].filter((part) => !!part).join(': ');
  return { code: data?.error_code ?? '', words };
}
