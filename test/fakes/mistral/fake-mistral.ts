import { FakeModelVendor } from '../model-vendor/fake-model-vendor.ts';
import { type ModelTurnSeen, partsOf } from '../model-vendor/scripted-reply.ts';
import { VendorError } from '../model-vendor/vendor-error.ts';
import { sseEvent, type VendorAnswer, type VendorCall } from '../model-vendor/vendor-exchange.ts';
import type { Refusal } from '../model-vendor/vendor-fault.ts';
import { agentPage, agentWire, isModel, modelList, modelOf, type StoredAgent } from './account-lists.ts';
import { FakeConnectors } from './connector-routes.ts';
import { apiError, badKey, notFound, refusalOf, unknownModel } from './mistral-errors.ts';
import {
  Append,
  type InputEntry,
  messagesOf,
  NewAgent,
  NewConversation,
  Restart,
  readBody,
  type TurnRequest,
  textOf,
} from './mistral-requests.ts';
import { type ReplyEvent, ReplyWriter } from './reply-writer.ts';
import {
  type ConversationSetup,
  conversationWire,
  inputEntry,
  newId,
  nowIso,
  type StoredConversation,
  type StoredEntry,
} from './stored-conversation.ts';

const PATH = /^\/v1\/(?<kind>agents|conversations|models)(?:\/(?<id>[^/]+)(?:\/(?<rest>.+))?)?$/;
/** Longer contexts do not fit the model. */
const MAX_CHARACTERS = 400_000;

/** Mistral's Conversations, agents, models and connectors. */
export class FakeMistral extends FakeModelVendor {
  readonly conversations = new Map<string, StoredConversation>();
  readonly agents: StoredAgent[] = [];
  readonly connectors = new FakeConnectors();
  /** A turn continues in a conversation of a new id; the old one stays as it was. */
  changesIds = false;

  constructor(key = 'FakeKeyOfMistral0123456789abcdef') {
    super(key);
  }

  addAgent(name: string, { model = 'mistral-large-latest', instructions = '' } = {}): StoredAgent {
    const agent = { id: newId('ag'), name, model, instructions };
    this.agents.push(agent);
    return agent;
  }

  protected override async answer(call: VendorCall): Promise<VendorAnswer> {
    const { authorization = '' } = call.headers;
    if (authorization !== `Bearer ${this.key}`) throw badKey(authorization.replace('Bearer ', ''));
    try {
      const answer = this.connectors.answer(call) ?? (await this.#route(call));
      if (answer) return answer;
    } catch (error) {
      throw error instanceof VendorError && error.status === 422 ? this.offence(error) : error;
    }
    throw this.offence(notFound(`${call.method} ${call.path}`));
  }

  protected override refusal(why: Refusal, retryAfterS: number | null): VendorError {
    return refusalOf(why, retryAfterS);
  }

  async #route(call: VendorCall): Promise<VendorAnswer | null> {
    const { kind, id, rest = '' } = PATH.exec(call.path)?.groups ?? {};
    switch (kind) {
      case 'models':
        return call.method === 'GET' ? { body: id === undefined ? modelList() : modelOf(id) } : null;
      case 'agents':
        return this.#agentRoute(id, call);
      case 'conversations':
        return id === undefined ? this.#start(call) : await this.#conversationRoute(id, rest, call);
      default:
        return null;
    }
  }

  #agentRoute(id: string | undefined, { method, query, body }: VendorCall): VendorAnswer | null {
    if (method === 'GET' && id === 'pages') return { body: agentPage(this.agents, query) };
    if (method === 'GET' && id !== undefined) return { body: agentWire(this.#agent(id)) };
    if (method !== 'POST' || id !== undefined) return null;
    const { name, model, instructions } = readBody(NewAgent, body);
    return { body: agentWire(this.addAgent(name, { model, instructions: instructions ?? '' })) };
  }

  #agent(id: string): StoredAgent {
    const agent = this.agents.find((known) => known.id === id);
    if (!agent) throw notFound(`Agent ${id}`);
    return agent;
  }

  async #conversationRoute(id: string, rest: string, call: VendorCall): Promise<VendorAnswer | null> {
    const conversation = this.conversations.get(id);
    if (!conversation) throw notFound('Conversation');
    switch (`${call.method} ${rest}`) {
      case 'GET ':
        return { body: conversationWire(conversation) };
      case 'GET history':
        return {
          body: { object: 'conversation.history', conversation_id: id, entries: conversation.entries },
        };
      case 'DELETE ':
        this.conversations.delete(id);
        return { status: 204, body: '' };
      case 'POST ': {
        const next = this.changesIds ? this.#store(conversation.setup, conversation.entries) : conversation;
        return this.#turn(next, readBody(Append, call.body), call);
      }
      case 'POST restart': {
        const wanted = readBody(Restart, call.body);
        const at = conversation.entries.findIndex(({ id: entry }) => entry === wanted.from_entry_id);
        if (at < 0) throw notFound('Entry');
        const fork = this.#store(conversation.setup, conversation.entries.slice(0, at + 1));
        return this.#turn(fork, wanted, call);
      }
      default:
        return null;
    }
  }

  #start(call: VendorCall): Promise<VendorAnswer> | null {
    if (call.method !== 'POST') return null;
    const wanted = readBody(NewConversation, call.body);
    const agent = wanted.agent_id ? this.#agent(wanted.agent_id) : null;
    const model = agent?.model ?? wanted.model!;
    if (!isModel(model)) throw unknownModel(model);
    const connectorIds = (wanted.tools ?? []).map(({ connector_id: id }) => id);
    for (const id of connectorIds) this.connectors.tool(id);
    const instructions = agent?.instructions ?? wanted.instructions ?? '';
    const setup = { model, agentId: agent?.id ?? null, instructions, connectorIds };
    return this.#turn(
      this.#store(setup, []),
      { ...wanted, completion_args: wanted.completion_args ?? undefined },
      call,
    );
  }

  #store(setup: ConversationSetup, entries: readonly StoredEntry[]): StoredConversation {
    const conversation = { id: newId('conv'), setup, entries };
    this.conversations.set(conversation.id, conversation);
    return conversation;
  }

  async #turn(
    conversation: StoredConversation,
    wanted: TurnRequest,
    call: VendorCall,
  ): Promise<VendorAnswer> {
    const said = messagesOf(wanted);
    const length = JSON.stringify([conversation.entries, said]).length;
    if (length > MAX_CHARACTERS) {
      throw apiError(
        400,
        `Prompt contains ${length} tokens, too large for model with ${MAX_CHARACTERS} maximum context length`,
      );
    }
    const writer = new ReplyWriter(conversation.setup.model, wanted.completion_args?.max_tokens ?? undefined);
    const events = this.#events(conversation, { said, writer }, call);
    if (wanted.stream) return { stream: chunks(events), contentType: 'text/event-stream; charset=utf-8' };
    for await (const _event of events);
    const { entries: outputs, usage } = writer;
    return { body: { object: 'conversation.response', conversation_id: conversation.id, outputs, usage } };
  }

  /** Input and output are stored once the reply is complete. */
  async *#events(
    conversation: StoredConversation,
    { said, writer }: { readonly said: readonly InputEntry[]; readonly writer: ReplyWriter },
    { signal, lost }: VendorCall,
  ): AsyncGenerator<ReplyEvent, void> {
    const seen = this.#seen(conversation, said, signal);
    let isComplete = false;
    try {
      yield { type: 'conversation.response.started', created_at: nowIso(), conversation_id: conversation.id };
      yield* writer.events(partsOf(this.reply, seen));
      isComplete = !writer.isFailed && !signal.aborted;
      if (isComplete && lost === null) store(conversation, said, writer.entries);
      if (isComplete) yield { type: 'conversation.response.done', created_at: nowIso(), usage: writer.usage };
    } finally {
      if (lost === 'unanswered') store(conversation, said, []);
      if (lost === 'answered' && isComplete) store(conversation, said, writer.entries);
    }
  }

  #seen(
    { setup, entries }: StoredConversation,
    said: readonly InputEntry[],
    signal: AbortSignal,
  ): ModelTurnSeen {
    const known = entries.filter(({ role }) => role !== undefined) as unknown as InputEntry[];
    const turns = [...known, ...said].map(({ role, content }) => ({ role, text: textOf(content) }));
    const tools = setup.connectorIds.map((id) => this.connectors.tool(id));
    const text = turns.at(-1)?.text ?? '';
    return {
      model: setup.model,
      instructions: setup.instructions,
      history: turns.slice(0, -1),
      text,
      tools,
      signal,
    };
  }
}

function store(
  conversation: StoredConversation,
  said: readonly InputEntry[],
  reply: readonly StoredEntry[],
): void {
  conversation.entries = [...conversation.entries, ...said.map(inputEntry), ...reply];
}

async function* chunks(events: AsyncIterable<ReplyEvent>): AsyncGenerator<string, void> {
  for await (const event of events) yield sseEvent(event.type, event);
}
