import {
  type Refusal,
  unknownIn,
  type VendorManners,
  type VendorReply,
} from '../speech-vendor/vendor-manners.ts';

const VOICE_COUNT = 150;
const MAX_PAGE = 100;

const VOICES = Array.from({ length: VOICE_COUNT }, (_, n) => ({
  id: `f786b574-daa5-4673-aa0c-${`${n}`.padStart(12, '0')}`,
  name: `Voice ${n}`,
  tagline: 'Clear',
  description: 'A voice for calls',
  language: 'en',
  gender: n % 2 ? 'masculine' : 'feminine',
  country: 'US',
  access: 'public',
  visibility: 'all',
  is_owner: false,
  created_at: '2026-01-02T03:04:05Z',
}));

const REFUSALS: Readonly<Record<Refusal, VendorReply>> = {
  bad_key: error(401, null, 'Unauthorized', 'Invalid API key'),
  missing_scope: error(403, null, 'Forbidden', 'This API key may not list voices'),
  out_of_funds: error(402, 'quota_exceeded', 'Quota exceeded', 'Your plan has no credits left'),
  too_many: error(429, 'concurrency_limited', 'Too many requests', 'You have too many requests in flight'),
  down: error(500, null, 'Internal server error', 'Please try again'),
};

function error(status: number, error_code: string | null, title: string, message: string): VendorReply {
  return { status, body: { error_code, title, message, request_id: 'req_1' } };
}

/** https://docs.cartesia.ai/api-reference: `GET /voices`, since version 2026-03-01. */
export const cartesia: VendorManners = {
  name: 'cartesia',
  setting: 'SVC_CARTESIA_URL',
  keyIn: ({ authorization, 'x-api-key': apiKey }) =>
    /^Bearer (\S+)$/.exec(authorization ?? '')?.[1] ?? (typeof apiKey === 'string' ? apiKey : null),
  precheck: ({ headers }) =>
    /^\d{4}-\d\d-\d\d$/.test(`${headers['cartesia-version']}`)
      ? null
      : error(400, null, 'Bad request', 'Cartesia-Version is required, as YYYY-MM-DD'),
  endpoints: {
    '/voices': ({ query }) => {
      const known = ['limit', 'starting_after', 'ending_before', 'q', 'is_owner', 'gender', 'expand[]'];
      const [unknown] = unknownIn(query, known);
      if (unknown !== undefined) return error(400, null, 'Bad request', `Unknown parameter ${unknown}`);
      const limit = Number(query.get('limit') ?? 10);
      if (!(limit >= 1 && limit <= MAX_PAGE)) return error(400, null, 'Bad request', 'limit: 1 to 100');
      const after = query.get('starting_after');
      const start = after === null ? 0 : VOICES.findIndex(({ id }) => id === after) + 1;
      if (after !== null && start === 0) return error(400, null, 'Bad request', 'Unknown starting_after');
      const isExpanded = query.getAll('expand[]').includes('preview_file_url');
      const data = VOICES.slice(start, start + limit).map((voice) =>
        isExpanded ? { ...voice, preview_file_url: `https://files.example/${voice.id}.wav` } : voice,
      );
      return { status: 200, body: { data, has_more: start + limit < VOICES.length } };
    },
  },
  refuse: (refusal) => REFUSALS[refusal],
  notFound: error(404, null, 'Not found', 'No such endpoint'),
  wrongMethod: error(405, null, 'Method not allowed', 'Use GET'),
};
