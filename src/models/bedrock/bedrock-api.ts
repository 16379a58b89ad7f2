import { z } from 'zod';
import { type FaultTable, kindOfError } from '../fault-table.ts';
import { type Credentials, JsonApi, keyIn, type ProviderError, type Refusal } from '../http/json-api.ts';
import { optionalField } from '../http/optional-field.ts';
import { unusable } from '../model-fault.ts';
import type { ModelDeps, ModelSettings } from '../model-provider.ts';
import { signed } from './sigv4.ts';

const SERVICE = 'bedrock';
/** The region becomes part of a host name. */
const REGION = /^[a-z]{2}(?:-[a-z]+)+-\d$/;

/** The APIs of one region, with one agent's key. */
export interface BedrockApis {
  /** Where models are called. */
  readonly runtime: JsonApi;
  /** Where models are listed. */
  readonly control: JsonApi;
}

/** Throws ModelFault `bad_request` when the settings do not give access. */
export function bedrockApis(
  { config, secrets }: ModelSettings,
  { http, clock, urls }: ModelDeps,
): BedrockApis {
  const { region = '', model = '' } = config;
  if (!REGION.test(region)) throw unusable('region must be the name of an AWS region, such as eu-west-3');
  const credentials = credentialsOf({ config, secrets }, region, () => clock.nowIso());
  const readError = (body: unknown, refusal: Refusal) => errorOfAnswer(body, refusal, model);
  const common = { http, clock, credentials, readError, isRepeatable: true } as const;
  const at = (host: string) => urls.bedrock ?? `https://${host}.${region}.amazonaws.com`;
  return {
    runtime: new JsonApi({ ...common, baseUrl: at('bedrock-runtime') }),
    control: new JsonApi({ ...common, baseUrl: at('bedrock') }),
  };
}

/** A Bedrock key comes first: it can do nothing else. */
function credentialsOf(
  { config, secrets }: ModelSettings,
  region: string,
  nowIso: () => string,
): Credentials {
  const { api_key: token = '', secret_access_key: secret = '', session_token = '' } = secrets;
  const { access_key_id: id = '' } = config;
  if (token !== '') return keyIn({ authorization: `Bearer ${token}` }, token);
  if (id === '' && secret === '')
    throw unusable('api_key is missing, or access_key_id with secret_access_key');
  if (secret === '') throw unusable('access_key_id needs secret_access_key');
  if (id === '') throw unusable('secret_access_key needs access_key_id');
  const keys = { id, secret, sessionToken: session_token || null };
  return {
    secrets: [secret, session_token],
    headers: (request) => signed({ ...request, region, service: SERVICE, keys, at: nowIso() }),
  };
}

/** Exceptions of the two APIs and those common to all services. */
const FAULTS: FaultTable = {
  codes: {
    unrecognizedclientexception: 'key_rejected',
    invalidsignatureexception: 'key_rejected',
    signaturedoesnotmatch: 'key_rejected',
    incompletesignature: 'key_rejected',
    incompletesignatureexception: 'key_rejected',
    missingauthenticationtoken: 'key_rejected',
    missingauthenticationtokenexception: 'key_rejected',
    invalidclienttokenid: 'key_rejected',
    expiredtoken: 'key_rejected',
    expiredtokenexception: 'key_rejected',
    accessdeniedexception: 'no_access',
    resourcenotfoundexception: 'not_found',
    validationexception: 'bad_request',
    conflictexception: 'bad_request',
    servicequotaexceededexception: 'quota',
    throttlingexception: 'rate_limited',
    modelnotreadyexception: 'overloaded',
    modeltimeoutexception: 'overloaded',
    modelerrorexception: 'overloaded',
    modelstreamerrorexception: 'overloaded',
    internalserverexception: 'overloaded',
    serviceunavailableexception: 'overloaded',
  },
  words: [
    [/authentication failed|\bapi key\b|\bbearer token\b|security token/i, 'key_rejected', 'no_access'],
    [/per day/i, 'quota', 'rate_limited'],
    [
      /(?:input|prompt) is too long|too many (?:input )?tokens|context (?:window|length|limit)/i,
      'too_long',
      'bad_request',
    ],
    [/model identifier is invalid/i, 'not_found', 'bad_request'],
  ],
};

/** The model failed: only a 424 without a name does not say so. */
const MODEL_FAILED = { status: 424, name: 'ModelErrorException' };

/** What helps a person further where the words of AWS do not. */
const HINTS: readonly (readonly [RegExp, (model: string) => string])[] = [
  [
    /on-demand throughput/i,
    (model) => ` Choose its id as the model: ${model} with a prefix such as eu., us. or global.`,
  ],
  [
    /not supported (?:on|by|for) this (?:route|operation|api)/i,
    () => ' Use the provider "custom" with the OpenAI-style endpoint of Bedrock.',
  ],
  [FAULTS.words[0]![0], () => ' A Bedrock key is valid in its own region only.'],
];

/** An exception of AWS, from a header or the body of an answer, or from a stream. */
export interface AwsException {
  /** Such as `ThrottlingException`. Streams write it in lower case at first. Empty: unknown. */
  readonly name: string;
  readonly message: string;
  /** Absent in a stream. */
  readonly status?: number;
}

const ErrorBody = z
  .object({
    __type: optionalField(z.string()),
    message: optionalField(z.string()),
    Message: optionalField(z.string()),
  })
  .catch({});

/** The words of an exception, in the body of an answer or of a message. */
export function wordsIn(body: unknown): string | undefined {
  const { message, Message } = ErrorBody.parse(body);
  return message ?? Message;
}

function errorOfAnswer(body: unknown, { status, headers }: Refusal, model: string): ProviderError | null {
  const { __type: type = '' } = ErrorBody.parse(body);
  const header = headers['x-amzn-errortype'];
  const name = nameOf(typeof header === 'string' ? header : type);
  const message = wordsIn(body) ?? '';
  return name === '' && message === '' ? null : errorOf({ name, message, status }, model);
}

/** `model`: the one that is called. */
export function errorOf({ name, message, status }: AwsException, model: string): ProviderError {
  const codes = [name, status === MODEL_FAILED.status ? MODEL_FAILED.name : ''];
  const hint = HINTS.find(([words]) => words.test(message))?.[1](model) ?? '';
  return { words: `${message}${hint}`, kind: kindOfError(FAULTS, { codes, message, status }) };
}

/** `com.amazon.coral.service#ThrottlingException` in bodies, `ThrottlingException:http://…` in headers. */
function nameOf(type: string): string {
  const [name = ''] = type.split(':', 1);
  return name.slice(name.lastIndexOf('#') + 1);
}
