import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import type { Clock } from '../../base/time.ts';
import { readJson } from '../http/model-answer.ts';
import type { ModelHttp } from '../http/model-http.ts';
import type {
  ModelChoice,
  ModelChoices,
  ModelClient,
  ModelReply,
  ModelTurn,
  TurnFate,
  TurnObserver,
} from '../model-client.ts';
import { ModelFault } from '../model-fault.ts';
import type { BedrockAccess, UnsignedRequest } from './bedrock-access.ts';
import { modelChoices, profileChoices } from './bedrock-choices.ts';
import { type BedrockContext, faultOfAnswer } from './bedrock-faults.ts';
import { readConverse } from './converse-reply.ts';
import { converseBody, smallestBody } from './converse-request.ts';

/** An answer that is not streamed. */
const WholeReply = z.object({ stopReason: z.string() });

const PAGE_SIZE = 1_000;
const MAX_PAGES = 5;

export interface BedrockClientOptions {
  /** The id of a model or an inference profile, or an ARN. Empty: none is chosen yet, so only `browse` works. */
  readonly model: string;
  readonly access: BedrockAccess;
  readonly http: ModelHttp;
  readonly clock: Clock;
}

/**
 * Amazon Bedrock by Converse, which keeps no conversation. Models behind it cannot read from the gateway.
 * https://docs.aws.amazon.com/bedrock/latest/userguide/conversation-inference.html
 */
export class BedrockClient implements ModelClient {
  readonly #model: string;
  readonly #access: BedrockAccess;
  readonly #http: ModelHttp;
  readonly #clock: Clock;

  constructor({ model, access, http, clock }: BedrockClientOptions) {
    this.#model = model;
    this.#access = access;
    this.#http = http;
    this.#clock = clock;
  }

  /** By a reply of one token: keys that may call a model need not be allowed to list any. */
  async probe(signal: AbortSignal): Promise<void> {
    const request = { method: 'POST', url: this.#call('converse'), body: smallestBody() } as const;
    if (!WholeReply.safeParse(await this.#json(request, signal)).success)
      throw new ModelFault('bad_endpoint', { words: 'the endpoint does not answer as Converse does' });
  }

  async browse(signal: AbortSignal): Promise<ModelChoices> {
    try {
      const [models, profiles] = await Promise.all([this.#models(signal), this.#profiles(signal)]);
      return { models: [...profiles, ...models], agents: [], notice: null };
    } catch (error) {
      if (!(error instanceof ModelFault) || error.kind !== 'no_access') throw error;
      const notice = `The key may not list models, but may be allowed to call them: enter the id. ${error.message}`;
      return { models: [], agents: [], notice };
    }
  }

  async turn(turn: ModelTurn, observer: TurnObserver): Promise<ModelReply> {
    const { signal } = turn;
    const request = { method: 'POST', url: this.#call('converse-stream'), body: converseBody(turn) } as const;
    return readConverse(await this.#send(request, signal), observer, { ...this.#context, signal });
  }

  async reconcile(): Promise<TurnFate> {
    return { kind: 'absent' };
  }

  async forget(): Promise<void> {}

  get #chosen(): string {
    if (this.#model === '') throw new ModelFault('bad_request', { words: 'model is missing' });
    return this.#model;
  }

  get #context(): BedrockContext {
    return { model: this.#model, secrets: this.#access.secrets };
  }

  #call(operation: 'converse' | 'converse-stream'): URL {
    return new URL(`${this.#access.runtime}/model/${encodeURIComponent(this.#chosen)}/${operation}`);
  }

  async #models(signal: AbortSignal): Promise<readonly ModelChoice[]> {
    const url = new URL(`${this.#access.control}/foundation-models`);
    url.searchParams.set('byOutputModality', 'TEXT');
    const choices = modelChoices(await this.#json({ method: 'GET', url, body: '' }, signal));
    return choices ?? Promise.reject(noList());
  }

  async #profiles(signal: AbortSignal): Promise<readonly ModelChoice[]> {
    const url = new URL(`${this.#access.control}/inference-profiles`);
    url.searchParams.set('maxResults', String(PAGE_SIZE));
    const choices: ModelChoice[] = [];
    for (let count = 0; count < MAX_PAGES; count++) {
      const page = profileChoices(await this.#json({ method: 'GET', url, body: '' }, signal));
      if (page === null) throw noList();
      choices.push(...page.choices);
      if (page.nextToken === null) break;
      url.searchParams.set('nextToken', page.nextToken);
    }
    return choices;
  }

  async #json(request: UnsignedRequest, signal: AbortSignal): Promise<unknown> {
    return readJson(await this.#send(request, signal), signal);
  }

  async #send({ method, url, body }: UnsignedRequest, signal: AbortSignal): Promise<IncomingMessage> {
    const headers = this.#access.headers({ method, url, body }, this.#clock.nowIso());
    const request = { method, url, headers, signal };
    const answer = await this.#http.send(body === '' ? request : { ...request, body });
    if (answer.statusCode !== 200) throw await faultOfAnswer(answer, this.#context, signal);
    return answer;
  }
}

function noList(): ModelFault {
  return new ModelFault('bad_endpoint', { words: 'the endpoint does not list models as Bedrock does' });
}
