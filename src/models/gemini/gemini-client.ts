import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { readJson } from '../http/model-answer.ts';
import type { ModelHttp, ModelRequest } from '../http/model-http.ts';
import { optionalField } from '../http/optional-field.ts';
import type {
  ModelChoices,
  ModelClient,
  ModelReply,
  ModelTurn,
  TurnFate,
  TurnObserver,
} from '../model-client.ts';
import { ModelFault } from '../model-fault.ts';
import type { ModelMemory } from '../model-memory.ts';
import type { GeminiAccess } from './gemini-access.ts';
import { faultOfAnswer, type GeminiContext } from './gemini-faults.ts';
import { choicesOf, Model, ModelPage } from './gemini-models.ts';
import { readInteraction } from './interaction-reply.ts';
import { interactionBody } from './interaction-request.ts';

const PAGE_SIZE = 1_000;
const MAX_PAGES = 5;
/** Limit of interactions that are deleted with a conversation: more than a day's talk, the rest expires. */
const MAX_CHAIN = 1_000;

const GONE: ReadonlySet<string> = new Set(['not_found', 'lost_memory']);

const StoredInteraction = z.object({ previous_interaction_id: optionalField(z.string()) });

export interface GeminiClientOptions {
  /** Empty: none is chosen yet, so only `browse` works. */
  readonly model: string;
  readonly access: GeminiAccess;
  readonly http: ModelHttp;
}

interface Asked {
  readonly method: ModelRequest['method'];
  readonly url: string;
  readonly body?: string;
  readonly signal: AbortSignal;
}

/**
 * Gemini by its Interactions API. Each interaction names the one before it, so that a turn that got lost can be sent again:
 * it follows the same one. https://ai.google.dev/gemini-api/docs/interactions
 */
export class GeminiClient implements ModelClient {
  readonly #model: string;
  readonly #access: GeminiAccess;
  readonly #http: ModelHttp;

  constructor({ model, access, http }: GeminiClientOptions) {
    this.#model = model;
    this.#access = access;
    this.#http = http;
  }

  async probe(signal: AbortSignal): Promise<void> {
    const url = `${this.#access.models}/${encodeURIComponent(this.#chosen)}`;
    readModel(await this.#json({ method: 'GET', url, signal }));
  }

  async browse(signal: AbortSignal): Promise<ModelChoices> {
    const url = new URL(this.#access.models);
    url.searchParams.set('pageSize', String(PAGE_SIZE));
    const models = [];
    for (let page = 0; page < MAX_PAGES; page++) {
      const found = readPage(await this.#json({ method: 'GET', url: url.href, signal }));
      models.push(...choicesOf(found));
      if (!found.nextPageToken) break;
      url.searchParams.set('pageToken', found.nextPageToken);
    }
    return { models, agents: [], notice: null };
  }

  async turn(turn: ModelTurn, observer: TurnObserver): Promise<ModelReply> {
    const { signal, tools } = turn;
    const previousId = turn.memory?.interaction ?? null;
    const context = this.#context(previousId !== null, tools?.bearer);
    const body = interactionBody(this.#chosen, turn, previousId);
    const answer = await this.#send({ method: 'POST', url: this.#interactions, body, signal }, context);
    const reply = await readInteraction(answer, observer, { ...context, signal });
    observer.memoryChanged(reply.memory!);
    return reply;
  }

  /** The turn may be stored, but nothing follows it. */
  async reconcile(): Promise<TurnFate> {
    return { kind: 'absent' };
  }

  /** Deletes the interactions from the first to the last: until that is gone, another attempt finds what is left. */
  async forget(memory: ModelMemory, signal: AbortSignal): Promise<void> {
    const chain = await this.#chainTo(memory.interaction, signal);
    for (const url of chain.toReversed())
      await unlessGone(this.#json({ method: 'DELETE', url, signal }, true));
  }

  /** The URLs of an interaction and those before it, the last first. */
  async #chainTo(last: string | undefined, signal: AbortSignal): Promise<readonly string[]> {
    const urls: string[] = [];
    for (let id = last; id !== undefined && urls.length < MAX_CHAIN; ) {
      const url = `${this.#interactions}/${encodeURIComponent(id)}`;
      const stored = await unlessGone(this.#json({ method: 'GET', url, signal }, true));
      if (stored === null) break;
      urls.push(url);
      id = StoredInteraction.safeParse(stored).data?.previous_interaction_id;
    }
    return urls;
  }

  get #chosen(): string {
    if (this.#model === '') throw new ModelFault('bad_request', { words: 'model is missing' });
    return this.#model;
  }

  get #interactions(): string {
    return `${this.#access.base}/interactions`;
  }

  #context(hasMemory: boolean, bearer = ''): GeminiContext {
    return { hasMemory, access: this.#access, bearer };
  }

  async #json(asked: Asked, hasMemory = false): Promise<unknown> {
    return readJson(await this.#send(asked, this.#context(hasMemory)), asked.signal);
  }

  async #send({ method, url, body, signal }: Asked, context: GeminiContext): Promise<IncomingMessage> {
    const headers = await this.#access.headers(signal);
    const request = { method, url: new URL(url), headers, signal };
    const answer = await this.#http.send(body === undefined ? request : { ...request, body });
    if (isSuccess(answer)) return answer;
    const fault = await faultOfAnswer(answer, context, signal);
    if (fault.kind === 'key_rejected') this.#access.rejected();
    throw fault;
  }
}

function isSuccess({ statusCode = 0 }: IncomingMessage): boolean {
  return statusCode >= 200 && statusCode < 300;
}

function readModel(json: unknown): void {
  if (!Model.safeParse(json).success)
    throw new ModelFault('bad_endpoint', { words: 'the endpoint does not describe models as Gemini does' });
}

function readPage(json: unknown): z.infer<typeof ModelPage> {
  const page = ModelPage.safeParse(json).data;
  if (page === undefined)
    throw new ModelFault('bad_endpoint', { words: 'the endpoint does not list models as Gemini does' });
  return page;
}

/** Resolves with null for an interaction that is gone, or was made with another key. */
async function unlessGone(asked: Promise<unknown>): Promise<unknown> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ModelFault && GONE.has(error.kind)) return null;
    throw error;
  }
}
