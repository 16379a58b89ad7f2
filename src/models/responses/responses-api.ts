import type * as z from 'zod';
import type { ApiRequest, JsonApi } from '../http/json-api.ts';
import type { ModelTurn, TurnObserver } from '../model-client.ts';
import { orLostMemory } from './response-faults.ts';
import { ResponseReader, type ResponseReply } from './response-reader.ts';

/** The JSON API of a provider, with a key that is valid now. Rejects with a ModelFault if there is none. */
export type OpenApi = (signal: AbortSignal) => Promise<JsonApi>;

/** The requests of OpenAI's Responses API, at OpenAI or at a copy. */
export class ResponsesApi {
  readonly #open: OpenApi;
  /** Of every request: part of the endpoint that was configured. */
  readonly #query: Readonly<Record<string, string>>;

  constructor(open: OpenApi, query: Readonly<Record<string, string>> = {}) {
    this.#open = open;
    this.#query = query;
  }

  /** Sends one turn and reads the reply. */
  async respond(
    body: object,
    { signal, tools }: ModelTurn,
    observer: Pick<TurnObserver, 'text'>,
  ): Promise<ResponseReply> {
    const api = await this.#open(signal);
    const secret = tools?.bearer ?? '';
    const streamed = { ...body, stream: true };
    const request = this.#with({ method: 'POST', path: '/responses', body: streamed, signal, secret });
    const reader = new ResponseReader(api, observer, [secret]);
    try {
      return await reader.read(await api.stream(request));
    } catch (error) {
      throw orLostMemory(error);
    }
  }

  async ask<Schema extends z.ZodType>(schema: Schema, request: ApiRequest): Promise<z.output<Schema>> {
    const api = await this.#open(request.signal);
    return await api.ask(schema, this.#with(request));
  }

  async tell(request: ApiRequest): Promise<void> {
    const api = await this.#open(request.signal);
    await api.tell(this.#with(request));
  }

  #with(request: ApiRequest): ApiRequest {
    return { ...request, query: { ...this.#query, ...request.query } };
  }
}
