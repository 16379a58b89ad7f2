import {
  type Refusal,
  unknownIn,
  type VendorManners,
  type VendorReply,
} from '../speech-vendor/vendor-manners.ts';

const VOICE_COUNT = 250;
const MAX_PAGE = 100;

const VOICES = Array.from({ length: VOICE_COUNT }, (_, n) => ({
  voice_id: `voice${`${n}`.padStart(15, '0')}`,
  name: `Voice ${n}`,
  category: 'premade',
  labels: { accent: 'american', gender: n % 2 ? 'male' : 'female', language: 'en' },
  description: n === 0 ? 'Warm,\nand\u0007clear' : null,
  preview_url: `https://storage.example/previews/${n}.mp3`,
  verified_languages: n % 3 ? [] : [{ language: 'en', model_id: 'eleven_v2_5_flash' }, { language: 'fr' }],
  settings: null,
}));

/** The shapes of the vendor's errors: `code` is new, `status` alone is old. */
const REFUSALS: Readonly<Record<Refusal, VendorReply>> = {
  bad_key: error(401, {
    type: 'authentication_error',
    code: 'invalid_api_key',
    message: 'Invalid API key',
    status: 'invalid_api_key',
    request_id: 'r-1',
    param: null,
  }),
  missing_scope: error(401, {
    status: 'missing_permissions',
    message: 'The API key you used is missing the permission voices_read to execute this operation.',
  }),
  out_of_funds: error(401, {
    status: 'quota_exceeded',
    message: 'This request exceeds your quota of 10000. You have 0 credits remaining.',
  }),
  too_many: error(429, {
    type: 'rate_limit_error',
    code: 'rate_limit_exceeded',
    message: 'Rate limit exceeded',
    status: 'rate_limit_exceeded',
  }),
  down: error(500, { status: 'internal_server_error', message: 'Something went wrong' }),
};

function error(status: number, detail: object): VendorReply {
  return { status, body: { detail } };
}

/** A failed validation, as FastAPI words it. */
function invalid(name: string, msg: string): VendorReply {
  return { status: 422, body: { detail: [{ type: 'value_error', loc: ['query', name], msg }] } };
}

/** https://elevenlabs.io/docs/api-reference: `GET /v2/voices`. */
export const elevenlabs: VendorManners = {
  name: 'elevenlabs',
  setting: 'SVC_ELEVENLABS_URL',
  keyIn: (headers) => (typeof headers['xi-api-key'] === 'string' ? headers['xi-api-key'] : null),
  endpoints: {
    '/v2/voices': ({ query }) => {
      const [unknown] = unknownIn(query, [
        'page_size',
        'next_page_token',
        'search',
        'sort',
        'sort_direction',
      ]);
      if (unknown !== undefined) return invalid(unknown, 'Extra inputs are not permitted');
      const size = Number(query.get('page_size') ?? 10);
      if (!(size >= 1 && size <= MAX_PAGE)) return invalid('page_size', `less than or equal to ${MAX_PAGE}`);
      const start = Number(query.get('next_page_token')?.replace('after-', '') ?? 0);
      const end = Math.min(start + size, VOICES.length);
      const hasMore = end < VOICES.length;
      const next_page_token = hasMore ? `after-${end}` : null;
      const voices = VOICES.slice(start, end);
      return {
        status: 200,
        body: { voices, has_more: hasMore, total_count: VOICES.length, next_page_token },
      };
    },
  },
  refuse: (refusal) => REFUSALS[refusal],
  notFound: { status: 404, body: { detail: 'Not Found' } },
  wrongMethod: { status: 405, body: { detail: 'Method Not Allowed' } },
};
