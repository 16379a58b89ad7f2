import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { strangerKind } from '../http/json-api.ts';
import { readJson } from '../http/model-answer.ts';
import { optionalField } from '../http/optional-field.ts';
import { ModelFault, type ModelFaultKind } from '../model-fault.ts';
import { providerWords } from '../provider-words.ts';

/** An exception of AWS, from a header or the body of an answer, or from a stream. */
export interface AwsException {
  /** Such as `ThrottlingException`. Streams write it in lower case at first. Empty: unknown. */
  readonly name: string;
  readonly message: string;
  /** Absent in a stream. */
  readonly status?: number;
}

/** What the words of a fault depend on. */
export interface BedrockContext {
  readonly model: string;
  readonly secrets: readonly string[];
}

/** Exceptions of the two APIs and those common to all services, in lower case. */
const KIND_OF_NAME: Readonly<Record<string, ModelFaultKind>> = {
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
};

const BAD_KEY = /authentication failed|\bapi key\b|\bbearer token\b|security token/i;
const TOO_LONG = /(?:input|prompt) is too long|too many (?:input )?tokens|context (?:window|length|limit)/i;
const NO_SUCH_MODEL = /model identifier is invalid/i;
const ON_DEMAND = /on-demand throughput/i;
const NO_ROUTE = /not supported (?:on|by|for) this (?:route|operation|api)/i;

const ErrorBody = z.object({
  __type: optionalField(z.string()),
  message: optionalField(z.string()),
  Message: optionalField(z.string()),
});

/** Reads an answer that is no success. Resolves with the fault. */
export async function faultOfAnswer(
  answer: IncomingMessage,
  context: BedrockContext,
  signal: AbortSignal,
): Promise<ModelFault> {
  const body = ErrorBody.safeParse(await readJson(answer, signal)).data ?? {};
  const header = answer.headers['x-amzn-errortype'];
  const status = answer.statusCode ?? 0;
  const exception = {
    name: nameOf(typeof header === 'string' ? header : (body.__type ?? '')),
    message: body.message ?? body.Message ?? '',
    status,
  };
  if (exception.name !== '' || exception.message !== '') return faultOfException(exception, context);
  return new ModelFault(strangerKind(status), { words: `Bedrock answered ${status}`, status });
}

export function faultOfException(exception: AwsException, { model, secrets }: BedrockContext): ModelFault {
  const { message, status, name } = exception;
  const reported = status === undefined ? name || 'an error' : String(status);
  const words = providerWords(message, secrets) || `Bedrock answered ${reported}`;
  return new ModelFault(kindOf(exception), {
    words: providerWords(`${words}${hint(message, model)}`, secrets),
    ...(status === undefined ? {} : { status }),
  });
}

/** `com.amazon.coral.service#ThrottlingException` in bodies, `ThrottlingException:http://…` in headers. */
function nameOf(type: string): string {
  const [name = ''] = type.split(':', 1);
  return name.slice(name.lastIndexOf('#') + 1);
}

function kindOf({ name, message, status }: AwsException): ModelFaultKind {
  const kind = KIND_OF_NAME[name.toLowerCase()] ?? kindOfStatus(status);
  if (kind === 'no_access' && BAD_KEY.test(message)) return 'key_rejected';
  if (kind === 'rate_limited' && /per day/i.test(message)) return 'quota';
  if (kind === 'bad_request' && TOO_LONG.test(message)) return 'too_long';
  if (kind === 'bad_request' && NO_SUCH_MODEL.test(message)) return 'not_found';
  return kind;
}

function kindOfStatus(status = 500): ModelFaultKind {
  if (status === 401) return 'key_rejected';
  if (status === 402) return 'quota';
  if (status === 403) return 'no_access';
  if (status === 404) return 'not_found';
  if (status === 429) return 'rate_limited';
  if (status >= 500 || status === 408 || status === 424) return 'overloaded';
  return status >= 400 ? 'bad_request' : 'bad_endpoint';
}

/** What helps a person further where the provider's words do not. */
function hint(message: string, model: string): string {
  if (ON_DEMAND.test(message))
    return ` Choose its id as the model: ${model} with a prefix such as eu., us. or global.`;
  if (NO_ROUTE.test(message)) return ' Use the provider "custom" with the OpenAI-style endpoint of Bedrock.';
  return BAD_KEY.test(message) ? ' A Bedrock key is valid in its own region only.' : '';
}
