import {
  type Refusal,
  unknownIn,
  type VendorManners,
  type VendorReply,
} from '../speech-vendor/vendor-manners.ts';

const REFUSALS: Readonly<Record<Refusal, VendorReply>> = {
  bad_key: error(401, 'Authentication error, API token missing/invalid'),
  missing_scope: error(403, 'This API token may not stream'),
  out_of_funds: error(
    402,
    'Your current account balance is negative. Please top up to continue using the API.',
  ),
  too_many: { ...error(429, 'Too many requests'), headers: { 'retry-after': '30' } },
  down: error(500, 'Server error, developers have been alerted.'),
};

function error(status: number, text: string): VendorReply {
  return { status, body: { error: text } };
}

/** https://github.com/AssemblyAI/assemblyai-api-spec: `GET /v3/token` of the streaming API. */
export const assemblyai: VendorManners = {
  name: 'assemblyai',
  setting: 'SVC_ASSEMBLYAI_URL',
  // The key alone. With a scheme, the whole is taken for the key.
  keyIn: ({ authorization }) => authorization ?? null,
  endpoints: {
    '/v3/token': ({ query }) => {
      const [unknown] = unknownIn(query, ['expires_in_seconds', 'max_session_duration_seconds']);
      if (unknown !== undefined) return error(400, `Unknown parameter ${unknown}`);
      const lifeS = Number(query.get('expires_in_seconds'));
      if (!(lifeS >= 1 && lifeS <= 600)) return error(400, 'expires_in_seconds must be from 1 to 600');
      return { status: 200, body: { token: 'temporary-token', expires_in_seconds: lifeS } };
    },
  },
  refuse: (refusal) => REFUSALS[refusal],
  notFound: error(404, 'Not found'),
  wrongMethod: error(405, 'Method not allowed'),
};
