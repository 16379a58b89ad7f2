import { FakeModelVendor } from '../model-vendor/fake-model-vendor.ts';
import { partsOf } from '../model-vendor/scripted-reply.ts';
import { VendorError } from '../model-vendor/vendor-error.ts';
import type { VendorAnswer, VendorCall } from '../model-vendor/vendor-exchange.ts';
import type { Refusal } from '../model-vendor/vendor-fault.ts';
import { checkSignature } from './access-keys.ts';
import { awsError, invalid, refusalOf, wrongBearer } from './aws-errors.ts';
import { CLAUDE, MODELS, PROFILES } from './bedrock-models.ts';
import { type ConverseRequest, readConverse } from './converse-request.ts';
import { ConverseRun, eventFrame } from './converse-run.ts';

const CALL = /^\/model\/([^/]+)\/(converse|converse-stream)$/;

/** Bedrock as far as agents use it: Converse, and the lists of models. Its key is a Bedrock key; access keys work as well. */
export class FakeBedrock extends FakeModelVendor {
  readonly region = 'eu-west-3';
  /** How replies end. */
  stopReason: string | null = null;
  /** Keys may call models, but not list them. */
  mayList = true;
  pageSize = 1_000;

  constructor() {
    super('ABSKFake-bedrock-key-0123456789abcdef0123456789==');
  }

  protected refusal(why: Refusal): VendorError {
    return refusalOf(why);
  }

  protected async answer(call: VendorCall): Promise<VendorAnswer> {
    await this.#checkAccess(call);
    const [, model, operation] = CALL.exec(call.path) ?? [];
    if (call.method === 'POST' && model !== undefined) {
      const request = this.#readRequest(decodeURIComponent(model), call.body);
      return operation === 'converse' ? this.#whole(request, call) : this.#streamed(request, call);
    }
    if (call.method === 'GET' && call.path === '/foundation-models')
      return this.#listed({ modelSummaries: MODELS });
    if (call.method === 'GET' && call.path === '/inference-profiles')
      return this.#listed(this.#profiles(call.query));
    throw awsError(404, 'UnknownOperationException', '');
  }

  async #checkAccess(call: VendorCall): Promise<void> {
    const { authorization } = call.headers;
    if (authorization === undefined)
      throw awsError(403, 'MissingAuthenticationTokenException', 'Missing Authentication Token');
    if (!authorization.startsWith('Bearer ')) return await checkSignature(call, this.region);
    if (authorization !== `Bearer ${this.key}`) throw wrongBearer();
  }

  #readRequest(model: string, body: unknown): Asked {
    if (model === CLAUDE)
      throw invalid(
        `Invocation of model ID ${model} with on-demand throughput isn’t supported. ` +
          'Retry your request with the ID or ARN of an inference profile that contains this model.',
      );
    if (!isCallable(model)) throw invalid('The provided model identifier is invalid.');
    try {
      return { model, request: readConverse(body) };
    } catch (error) {
      throw error instanceof VendorError ? this.offence(error) : error;
    }
  }

  async #whole(asked: Asked, call: VendorCall): Promise<VendorAnswer> {
    const run = new ConverseRun();
    for await (const _ of run.frames(this.#partsOf(asked, call)));
    const message = { role: 'assistant', content: [{ text: run.text }] };
    const stopReason = this.stopReason ?? run.stopReason;
    return { body: { output: { message }, stopReason, ...measured(asked.request, run) } };
  }

  #streamed(asked: Asked, call: VendorCall): VendorAnswer {
    const contentType = 'application/vnd.amazon.eventstream';
    return { stream: this.#frames(asked, call), contentType };
  }

  async *#frames(asked: Asked, call: VendorCall): AsyncGenerator<Uint8Array, void> {
    const run = new ConverseRun();
    const isComplete = yield* run.frames(this.#partsOf(asked, call));
    if (!isComplete) return;
    yield eventFrame('messageStop', { stopReason: this.stopReason ?? run.stopReason });
    yield eventFrame('metadata', measured(asked.request, run));
  }

  #partsOf({ model, request }: Asked, { signal }: VendorCall) {
    const { messages, system = [] } = request;
    const said = messages.map(({ role, content }) => ({ role, text: textOf(content) }));
    return partsOf(this.reply, {
      model,
      instructions: textOf(system),
      history: said.slice(0, -1),
      text: said.at(-1)?.text ?? '',
      tools: [],
      signal,
    });
  }

  #listed(body: object): VendorAnswer {
    if (this.mayList) return { body };
    const user = 'arn:aws:iam::123456789012:user/BedrockAPIKey-1';
    throw awsError(403, 'AccessDeniedException', `User: ${user} is not authorized to perform: bedrock:List`);
  }

  #profiles(query: URLSearchParams): object {
    const from = Number(query.get('nextToken') ?? 0);
    const to = from + Math.min(this.pageSize, Number(query.get('maxResults') ?? 100));
    const next = to < PROFILES.length ? { nextToken: String(to) } : {};
    return { inferenceProfileSummaries: PROFILES.slice(from, to), ...next };
  }
}

interface Asked {
  readonly model: string;
  readonly request: ConverseRequest;
}

function isCallable(model: string): boolean {
  return (
    MODELS.some(({ modelId }) => modelId === model) ||
    PROFILES.some(({ inferenceProfileId: id, inferenceProfileArn: arn }) => id === model || arn === model)
  );
}

function textOf(content: readonly { readonly text: string }[]): string {
  return content.map(({ text }) => text).join('');
}

function measured({ messages }: ConverseRequest, { text }: ConverseRun): object {
  const inputTokens = tokensOf(messages.map(({ content }) => textOf(content)).join(''));
  const outputTokens = tokensOf(text);
  return {
    usage: { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens },
    metrics: { latencyMs: 1 },
  };
}

function tokensOf(text: string): number {
  return Math.ceil(text.length / 4);
}
