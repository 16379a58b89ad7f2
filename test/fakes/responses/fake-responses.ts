import { FakeModelVendor } from '../model-vendor/fake-model-vendor.ts';
import { partsOf } from '../model-vendor/scripted-reply.ts';
import type { VendorError } from '../model-vendor/vendor-error.ts';
import type { VendorAnswer, VendorCall } from '../model-vendor/vendor-exchange.ts';
import { sseEvent } from '../model-vendor/vendor-exchange.ts';
import type { LostTurn, Refusal } from '../model-vendor/vendor-fault.ts';
import { conversationRoutes } from './conversation-routes.ts';
import { type FakeModel, modelWire } from './fake-model.ts';
import {
  conversationIdOf,
  messagesOf,
  type ResponseRequest,
  readResponseRequest,
} from './response-request.ts';
import { type ResponseEvent, ResponseWriter, tokensOf } from './response-writer.ts';
import { apiError, refusalOf, tooLong, unknownModel, unknownUrl } from './responses-errors.ts';
import { type StoredConversation, StoredConversations } from './stored-conversations.ts';
import { type StoredItem, storedMessage, toldBy } from './stored-items.ts';

/** A turn that is under way. */
interface OpenTurn {
  readonly wanted: ResponseRequest;
  readonly conversation: StoredConversation | null;
  /** What came before. */
  readonly context: readonly StoredItem[];
  readonly input: readonly StoredItem[];
}

/** Longer contexts do not fit the model. */
const MAX_CONTEXT_TOKENS = 100_000;

/** A vendor that speaks OpenAI's Responses API, with or without Conversations. */
export abstract class FakeResponses extends FakeModelVendor {
  readonly stored = new StoredConversations();
  /** Stored prompts that there are. */
  readonly prompts = new Set<string>();
  /** Models sum up long conversations. */
  hasCompaction = true;
  abstract readonly models: readonly FakeModel[];

  /** Turns so far, as the API was asked for them. */
  get turns(): ResponseRequest[] {
    return this.requests
      .filter(({ method, path }) => method === 'POST' && path.endsWith('/responses'))
      .map(({ body }) => body as ResponseRequest);
  }

  protected override async answer(call: VendorCall): Promise<VendorAnswer> {
    const route = this.route(call);
    if (route === null) throw unknownUrl(call.method, call.path);
    this.authorize(call);
    const answer =
      (await this.other(route, call)) ??
      (this.hasConversations ? conversationRoutes(this.stored, route, call) : null) ??
      (await this.#own(route, call));
    if (answer === null) throw unknownUrl(call.method, call.path);
    return answer;
  }

  protected override refusal(why: Refusal, retryAfterS: number | null): VendorError {
    return refusalOf(why, retryAfterS);
  }

  /** The path below the API's base; null: not of this API. */
  protected abstract route(call: VendorCall): string | null;

  /** Throws if the key is wrong. */
  protected abstract authorize(call: VendorCall): void;

  protected get hasConversations(): boolean {
    return true;
  }

  /** Routes besides those of the Responses API; null: none of them. */
  protected other(_route: string, _call: VendorCall): VendorAnswer | Promise<VendorAnswer> | null {
    return null;
  }

  /** The context that `previous_response_id` stands for. */
  protected chained(responseId: string): readonly StoredItem[] {
    return this.stored.contextOf(responseId);
  }

  /** Throws if the request names nothing that can answer. Returns the name of what does. */
  protected choose(
    { model, prompt, reasoning, context_management }: ResponseRequest,
    _call: VendorCall,
  ): string {
    if (context_management && !this.hasCompaction) {
      const message = "Unsupported parameter: 'context_management' is not supported with this model.";
      throw apiError(400, message, { code: 'unsupported_parameter', param: 'context_management' });
    }
    if (prompt) {
      if (this.prompts.has(prompt.id)) return prompt.id;
      throw apiError(404, `Prompt with id '${prompt.id}' not found.`, {
        code: 'prompt_not_found',
        param: 'prompt',
      });
    }
    if (model === undefined) {
      throw apiError(400, "Missing required parameter: 'model'.", { code: 'missing_required_parameter' });
    }
    const known = this.models.find(({ id }) => id === model);
    if (!known) throw unknownModel(model);
    if (reasoning && !known.isReasoning) {
      const message = "Unsupported parameter: 'reasoning.effort' is not supported with this model.";
      throw apiError(400, message, { code: 'unsupported_parameter', param: 'reasoning.effort' });
    }
    return model;
  }

  /** The stream's text for one event. */
  protected eventText(event: ResponseEvent): string {
    return sseEvent(event.type, event);
  }

  protected get canStream(): boolean {
    return true;
  }

  /** What follows the last event. */
  protected get streamEnd(): string {
    return '';
  }

  async #own(route: string, call: VendorCall): Promise<VendorAnswer | null> {
    if (call.method === 'POST' && route === '/responses') return await this.#turn(call);
    if (call.method === 'GET' && route === '/models') {
      return { body: { object: 'list', data: this.models.map(modelWire) } };
    }
    return null;
  }

  async #turn(call: VendorCall): Promise<VendorAnswer> {
    const wanted = this.#read(call.body);
    const model = this.choose(wanted, call);
    const turn = this.#open(wanted);
    const events = this.#events(turn, model, call);
    if (wanted.stream && this.canStream)
      return { stream: this.#chunks(events), contentType: 'text/event-stream; charset=utf-8' };
    let last: ResponseEvent | null = null;
    for await (const event of events) last = event;
    return { body: last!.response as object };
  }

  #read(body: unknown): ResponseRequest {
    try {
      return readResponseRequest(body);
    } catch (error) {
      throw this.offence(error as VendorError);
    }
  }

  #open(wanted: ResponseRequest): OpenTurn {
    const input = messagesOf(wanted).map(storedMessage);
    const id = conversationIdOf(wanted);
    const previous = wanted.previous_response_id;
    const context = id ? [...this.stored.conversation(id).items] : previous ? this.chained(previous) : [];
    if (tokensOf([...context, ...input]) > MAX_CONTEXT_TOKENS) throw tooLong();
    return { wanted, conversation: id ? this.stored.lock(id) : null, context, input };
  }

  async *#events(
    turn: OpenTurn,
    model: string,
    { signal, lost }: VendorCall,
  ): AsyncGenerator<ResponseEvent, void> {
    const { wanted, conversation, context, input } = turn;
    const all = [...context, ...input];
    const writer = new ResponseWriter(wanted, conversation?.id ?? null, tokensOf(all));
    const tools = (wanted.tools ?? []).map((tool) => ({
      url: tool.server_url,
      bearer: tool.authorization ?? null,
    }));
    const seen = { model, ...toldBy(all, wanted.instructions ?? ''), tools, signal };
    let isStored = false;
    const store = (isAnswered: boolean): void => {
      if (!isStored) this.#store(turn, writer, isAnswered ? (lost ?? 'answered') : lost);
      isStored = true;
    };
    try {
      for await (const event of writer.events(partsOf(this.reply, seen))) {
        // Before the client sees the end and asks for more.
        if (writer.isDone) store(!signal.aborted);
        yield event;
      }
    } finally {
      store(false);
    }
  }

  /** Input and output are stored once the response is complete. */
  #store(
    { wanted, conversation, context, input }: OpenTurn,
    writer: ResponseWriter,
    fate: LostTurn | null,
  ): void {
    if (conversation) conversation.isLocked = false;
    if (fate === 'unanswered') conversation?.items.push(...input);
    if (fate !== 'answered' || !writer.isDone) return;
    conversation?.items.push(...input, ...writer.output);
    if (wanted.store !== false) this.stored.keepResponse(writer.id, [...context, ...input, ...writer.output]);
  }

  async *#chunks(events: AsyncIterable<ResponseEvent>): AsyncGenerator<string, void> {
    for await (const event of events) yield this.eventText(event);
    if (this.streamEnd !== '') yield this.streamEnd;
  }
}
