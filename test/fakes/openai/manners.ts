import {
  type Refusal,
  unknownIn,
  type VendorManners,
  type VendorReply,
} from '../speech-vendor/vendor-manners.ts';
import { OPENAI_MODEL_LIST } from './openai-models.ts';

const REFUSALS: Readonly<Record<Refusal, VendorReply>> = {
  bad_key: error(
    401,
    'invalid_api_key',
    'Incorrect API key provided: wrong***key. You can find your API key at …',
  ),
  missing_scope: error(
    // Not 403: seen in the wild, with these words.
    401,
    null,
    'You have insufficient permissions for this operation. Missing scopes: api.model.read.',
  ),
  out_of_funds: error(
    429,
    'insufficient_quota',
    'You exceeded your current quota, please check your plan and billing details.',
  ),
  too_many: error(429, 'rate_limit_exceeded', 'Rate limit reached for requests'),
  down: error(503, null, 'The server is overloaded or not ready yet.'),
};

function error(status: number, code: string | null, message: string): VendorReply {
  return { status, body: { error: { message, type: 'invalid_request_error', param: null, code } } };
}

/** https://github.com/openai/openai-openapi: `GET /v1/models`. */
export const openai: VendorManners = {
  name: 'openai',
  setting: 'SVC_OPENAI_URL',
  keyIn: ({ authorization }) => /^Bearer (\S+)$/.exec(authorization ?? '')?.[1] ?? null,
  endpoints: {
    '/v1/models': ({ query }) => {
      const [unknown] = unknownIn(query, []);
      if (unknown !== undefined) return error(400, 'unknown_parameter', `Unknown parameter: '${unknown}'.`);
      return { status: 200, body: OPENAI_MODEL_LIST };
    },
  },
  refuse: (refusal) => REFUSALS[refusal],
  notFound: error(404, 'unknown_url', 'Invalid URL'),
  wrongMethod: error(405, 'method_not_supported', 'Not allowed'),
};
