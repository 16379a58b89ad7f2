import { FakeModelVendor } from '../model-vendor/fake-model-vendor.ts';
import { partsOf } from '../model-vendor/scripted-reply.ts';
import { VendorError } from '../model-vendor/vendor-error.ts';
import { sseEvent, type VendorAnswer, type VendorCall } from '../model-vendor/vendor-exchange.ts';
import type { Refusal } from '../model-vendor/vendor-fault.ts';
import { googleError, interactionError, refusalOf, unknownModel, wrongKey } from './gemini-errors.ts';
import { type InteractionRequest, readInteraction, stepsOf } from './interaction-request.ts';
import { type Ending, InteractionRun } from './interaction-run.ts';
import { type SaidText, StoredInteractions, textsOf } from './stored-interactions.ts';

const MODELS = [
  { name: 'models/gemini-3.8-flash', displayName: 'Gemini 3.8 Flash', writes: true },
  { name: 'models/gemini-3.1-pro-preview', displayName: 'Gemini 3.1 Pro Preview', writes: true },
  { name: 'models/gemini-embedding-001', displayName: 'Gemini Embedding 001', writes: false },
].map(({ writes, ...model }) => ({
  ...model,
  supportedGenerationMethods: [writes ? 'generateContent' : 'embedContent'],
}));

/** The Gemini API as far as agents use it: interactions, and the list of models. */
export class FakeGemini extends FakeModelVendor {
  readonly interactions = new StoredInteractions();
  /** How interactions end. */
  ending: Ending = { status: 'completed' };
  /** Content filters send their error as a line of JSON that is no event (js-genai issue 1973). */
  hasBareErrors = false;
  /** Entries on one page of the list of models. */
  pageSize = 1_000;

  constructor() {
    super('AIzaSy-key-of-gemini-0123456789abcdef');
  }

  protected refusal(why: Refusal, retryAfterS: number | null): VendorError {
    return refusalOf(why, retryAfterS);
  }

  protected async answer(call: VendorCall): Promise<VendorAnswer> {
    const [, version, kind = '', id = null] = call.path.split('/');
    if (version !== 'v1' && version !== 'v1beta') throw notFound();
    this.#checkKey(call);
    return this.carryOut(call, kind, id);
  }

  /** `id` as it is in the path. */
  protected async carryOut(call: VendorCall, kind: string, id: string | null): Promise<VendorAnswer> {
    const found = id === null ? null : decodeURIComponent(id);
    switch (`${call.method} ${kind}${id === null ? '' : '/id'}`) {
      case 'POST interactions':
        return this.#create(call);
      case 'GET interactions/id':
        return this.#read(found!);
      case 'DELETE interactions/id':
        return this.#delete(found!);
      case 'GET models':
        return this.#models(call.query);
      case 'GET models/id':
        return { body: modelNamed(`models/${found}`) };
      default:
        throw notFound();
    }
  }

  #checkKey({ headers, query }: VendorCall): void {
    if (query.has('key')) this.offence(googleError(400, 'INVALID_ARGUMENT', 'A key is in the URL.'));
    const key = headers['x-goog-api-key'];
    if (key === undefined)
      throw googleError(403, 'PERMISSION_DENIED', "Method doesn't allow unregistered callers.");
    if (key !== this.key) throw wrongKey();
  }

  #create(call: VendorCall): VendorAnswer | Promise<VendorAnswer> {
    const request = this.#readRequest(call.body);
    const said = this.interactions.said(request.previous_interaction_id ?? null);
    const stream = this.#run(request, said, call);
    if (request.stream) return { stream: asEvents(stream), contentType: 'text/event-stream' };
    return wholeAnswer(stream);
  }

  #readRequest(body: unknown): InteractionRequest {
    try {
      const request = readInteraction(body);
      modelNamed(`models/${request.model}`);
      return request;
    } catch (error) {
      throw error instanceof VendorError && error.status === 400 ? this.offence(error) : error;
    }
  }

  /** Yields all events of an interaction, then stores it. */
  async *#run(
    request: InteractionRequest,
    before: readonly SaidText[],
    call: VendorCall,
  ): AsyncGenerator<StreamItem, void> {
    const { model, previous_interaction_id: previousId = null } = request;
    const id = this.interactions.newId();
    const input = stepsOf(request.input);
    const said = [...before, ...textsOf(input)];
    const parts = partsOf(this.reply, {
      model,
      instructions: request.system_instruction ?? '',
      history: said.slice(0, -1),
      text: said.at(-1)?.text ?? '',
      tools: (request.tools ?? []).map(({ url, headers }) => ({
        url,
        bearer: headers?.Authorization?.replace(/^Bearer /, '') ?? null,
      })),
      signal: call.signal,
    });
    const about = { id, object: 'interaction', model };
    yield { event_type: 'interaction.created', interaction: { ...about, status: 'in_progress' } };
    yield { event_type: 'interaction.status_update', interaction_id: id, status: 'in_progress' };
    const run = new InteractionRun();
    yield* run.events(parts);
    if (run.error) return yield* this.#failed(run.error);
    if (call.signal.aborted) return;
    if (request.store) this.interactions.add({ id, model, previousId, input, output: run.output });
    const status = run.status === 'completed' ? this.ending.status : run.status;
    const usage = run.usage(said.map(({ text }) => text).join(''));
    const { errors } = this.ending;
    yield {
      event_type: 'interaction.completed',
      interaction: { ...about, status, usage, errors },
      steps: run.steps,
    };
  }

  *#failed(error: { code: string; message: string }): Generator<StreamItem, void> {
    yield this.hasBareErrors ? `${JSON.stringify({ error })}\n` : { event_type: 'error', error };
  }

  #read(id: string): VendorAnswer {
    const found = this.interactions.get(id);
    if (found === undefined) throw interactionError(404, 'not_found', `Interaction '${id}' is not found.`);
    const { model, previousId, output } = found;
    const steps = [{ type: 'model_output', content: [{ type: 'text', text: output }] }];
    const previous = previousId === null ? {} : { previous_interaction_id: previousId };
    return { body: { id, object: 'interaction', model, status: 'completed', steps, ...previous } };
  }

  #delete(id: string): VendorAnswer {
    if (!this.interactions.delete(id))
      throw interactionError(404, 'not_found', `Interaction '${id}' is not found.`);
    return { body: {} };
  }

  #models(query: URLSearchParams): VendorAnswer {
    const from = Number(query.get('pageToken') ?? 0);
    const to = from + Math.min(this.pageSize, Number(query.get('pageSize') ?? 50));
    const next = to < MODELS.length ? { nextPageToken: String(to) } : {};
    return { body: { models: MODELS.slice(from, to), ...next } };
  }
}

/** An event, or a line that is none. */
type StreamItem = object | string;

function asEvents(items: AsyncIterable<StreamItem>): AsyncGenerator<string, void> {
  return (async function* () {
    for await (const item of items) {
      if (typeof item === 'string') return yield item;
      const { steps: _steps, ...event } = item as { event_type: string; steps?: unknown };
      yield sseEvent(event.event_type, event);
      if (event.event_type === 'error') return;
    }
    yield sseEvent('done', '[DONE]');
  })();
}

/** Answers without a stream: the last event, as one document. */
async function wholeAnswer(items: AsyncIterable<StreamItem>): Promise<VendorAnswer> {
  for await (const item of items) {
    const event = (typeof item === 'string' ? JSON.parse(item) : item) as {
      interaction?: object;
      steps?: readonly object[];
      error?: { code: string; message: string };
    };
    if (event.error) throw interactionError(400, event.error.code, event.error.message);
    if (event.steps) return { body: { ...event.interaction, steps: event.steps } };
  }
  throw interactionError(499, 'cancelled', 'The client has gone.');
}

function modelNamed(name: string): object {
  const model = MODELS.find((known) => known.name === name);
  if (model === undefined) throw unknownModel(name.replace('models/', ''));
  return model;
}

function notFound(): VendorError {
  return new VendorError(404, 'Not Found');
}
