import {
  type Refusal,
  unknownIn,
  type VendorManners,
  type VendorReply,
} from '../speech-vendor/vendor-manners.ts';

const REQUEST_ID = '0d7f2e0c-0000-4000-8000-000000000001';

/** Old answers have `err_code` and `err_msg`, new ones `category` and `message`. */
const REFUSALS: Readonly<Record<Refusal, VendorReply>> = {
  bad_key: error(401, 'INVALID_AUTH', 'Invalid credentials.'),
  missing_scope: error(403, 'INSUFFICIENT_PERMISSIONS', 'User does not have sufficient permissions.'),
  out_of_funds: {
    status: 402,
    body: {
      category: 'ASR_PAYMENT_REQUIRED',
      message: 'Project does not have enough credits for an ASR request.',
      details: 'Please top up.',
      request_id: REQUEST_ID,
    },
  },
  too_many: error(429, 'TOO_MANY_REQUESTS', 'Too many requests. Please try again later'),
  down: { status: 503, body: 'upstream connect error', headers: { 'content-type': 'text/plain' } },
};

function error(status: number, err_code: string, err_msg: string): VendorReply {
  return {
    status,
    body: { err_code, err_msg, request_id: REQUEST_ID },
    headers: { 'dg-error': err_msg, 'dg-request-id': REQUEST_ID },
  };
}

const VOICES = [
  ['thalia', 'feminine'],
  ['apollo', 'masculine'],
].map(([name, gender]) => ({
  name,
  canonical_name: `aura-2-${name}-en`,
  architecture: 'aura-2',
  languages: ['en', 'en-US'],
  version: '2025-04-07.0',
  uuid: '0d7f2e0c-0000-4000-8000-000000000002',
  metadata: {
    accent: 'American',
    age: 'Adult',
    color: '#7800ED',
    image: 'https://static.example/a.jpg',
    sample: `https://static.example/${name}.wav`,
    tags: [gender, 'clear'],
    use_cases: ['IVR'],
  },
}));

/** https://github.com/deepgram/deepgram-api-specs: `GET /v1/auth/token` and `GET /v1/models`, which is open. */
export const deepgram: VendorManners = {
  name: 'deepgram',
  setting: 'SVC_DEEPGRAM_URL',
  keyIn: ({ authorization }) => /^token (\S+)$/i.exec(authorization ?? '')?.[1] ?? null,
  endpoints: {
    '/v1/auth/token': () => ({
      status: 200,
      body: { api_key_id: '0d7f2e0c-0000-4000-8000-000000000003', scopes: ['usage:write'], accessor: 'x' },
    }),
    '/v1/models': ({ query }) => {
      const [unknown] = unknownIn(query, ['include_outdated']);
      if (unknown !== undefined) return error(400, 'INVALID_QUERY_PARAMETER', `Unknown parameter ${unknown}`);
      return { status: 200, body: { stt: [], tts: VOICES } };
    },
  },
  open: ['/v1/models'],
  refuse: (refusal) => REFUSALS[refusal],
  notFound: error(404, 'NOT_FOUND', 'Not found'),
  wrongMethod: error(405, 'METHOD_NOT_ALLOWED', 'Method not allowed'),
};
