import * as z from 'zod';
import type { Clock } from '../../base/time.ts';
import type { JsonApi } from '../http/json-api.ts';
import { optionalField } from '../http/optional-field.ts';
import type {
  ModelChoice,
  ModelChoices,
  ModelClient,
  ModelMemory,
  ModelReply,
  ModelTurn,
  PastTurn,
  TurnFate,
  TurnObserver,
} from '../model-client.ts';
import { isFault, ModelFault, unlessGone } from '../model-fault.ts';
import { conversationOf, forgottenConversation, memoryOf } from '../provider-conversation.ts';
import { Entry, findMessage, messageEntry, textOf } from './entry.ts';
import { MistralTools } from './mistral-tools.ts';
import { functionCalled, ReplyStream } from './reply-stream.ts';

/** What answers in the conversations. */
export type Answerer = { readonly model: string } | { readonly agentId: string };

/** Of a model or an agent. */
const Described = z.object({ id: z.string() });
const History = z.object({ entries: z.array(Entry) });
const Models = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      deprecation: optionalField(z.string().nullable()),
      capabilities: optionalField(z.object({ completion_chat: optionalField(z.boolean()) })),
    }),
  ),
});
const AgentPage = z.object({
  data: z.array(z.object({ id: z.string(), name: optionalField(z.string()) })),
  next_page_token: optionalField(z.string().nullable()),
});
/** At most 1,000 agents. */
const AGENT_PAGES = 10;
const AGENTS_PER_PAGE = 100;
const NO_CONNECTORS =
  'This key may not use connectors, so the model cannot read from the gateway. Allow private and shared connectors for it.';

/** A request that starts a turn. */
interface TurnRequest {
  readonly path: string;
  readonly body: object;
}

/** The Conversations API: Mistral keeps each conversation. https://docs.mistral.ai/agents/agents_and_conversations */
export class MistralClient implements ModelClient {
  readonly #api: JsonApi;
  readonly #answerer: Answerer;
  readonly #tools: MistralTools;

  constructor(api: JsonApi, clock: Clock, answerer: Answerer) {
    this.#api = api;
    this.#answerer = answerer;
    this.#tools = new MistralTools(api, clock);
  }

  async probe(signal: AbortSignal): Promise<void> {
    const path =
      'agentId' in this.#answerer
        ? `/v1/agents/${encodeURIComponent(this.#answerer.agentId)}`
        : `/v1/models/${encodeURIComponent(this.#answerer.model)}`;
    await this.#api.ask(Described, { method: 'GET', path, signal });
  }

  async browse(signal: AbortSignal): Promise<ModelChoices> {
    const [models, agents, hasConnectors] = await Promise.all([
      modelChoices(this.#api, signal),
      agentChoices(this.#api, signal),
      this.#tools.isAllowed(signal),
    ]);
    return { models, agents, notice: hasConnectors ? null : NO_CONNECTORS };
  }

  async turn(turn: ModelTurn, observer: TurnObserver): Promise<ModelReply> {
    let conversation = conversationOf(turn);
    const events = await this.#send(turn, conversation);
    const started = (id: string): void => {
      if (id !== conversation) observer.memoryChanged(memoryOf(id, turn));
      conversation = id;
    };
    const { maxOutputTokens } = turn;
    const reply = await new ReplyStream({ api: this.#api, maxOutputTokens, observer, started }).read(events);
    return { ...reply, memory: conversation === null ? null : memoryOf(conversation, turn) };
  }

  async reconcile(turn: ModelTurn): Promise<TurnFate> {
    const conversation = conversationOf(turn);
    // A conversation whose id never came is not used again, so the turn may start another one.
    if (conversation === null) return { kind: 'absent' };
    const entries = await this.#history(conversation, turn.signal);
    const at = findMessage(entries, turn.marker);
    if (at < 0) return { kind: 'absent' };
    const after = entries.slice(at + 1);
    const messages = after.filter(({ type }) => type === 'message.output');
    if (messages.length === 0) {
      if (after.some(({ type }) => type === 'function.call')) throw functionCalled();
      return { kind: 'unanswered' };
    }
    const text = messages.map(({ content }) => textOf(content)).join('\n');
    const usage = { inputTokens: null, outputTokens: null };
    const replyId = messages.at(-1)?.id ?? null;
    const memory = memoryOf(conversation, turn);
    return { kind: 'answered', reply: { text, finish: 'complete', usage, replyId, memory } };
  }

  async forget(memory: ModelMemory, signal: AbortSignal): Promise<void> {
    const conversation = forgottenConversation(memory);
    if (conversation === null) return;
    await unlessGone(this.#api.tell({ method: 'DELETE', path: pathOf(conversation), signal }));
  }

  async forgetTools(digest: string, signal: AbortSignal): Promise<void> {
    await unlessGone(this.#tools.delete(digest, signal));
  }

  /** Resolves with the events of the reply. */
  async #send(turn: ModelTurn, conversation: string | null) {
    const { path, body } = await this.#request(turn, conversation);
    const request = {
      method: 'POST',
      path,
      body: { ...body, stream: true, store: true },
      signal: turn.signal,
    } as const;
    try {
      return await this.#api.stream(request);
    } catch (fault) {
      if (conversation === null && turn.tools) this.#tools.forget(turn.tools);
      throw conversation === null ? fault : withoutAccess(fault);
    }
  }

  async #request(turn: ModelTurn, conversation: string | null): Promise<TurnRequest> {
    if (conversation === null) return this.#start(turn, [...turn.history, said(turn.text ?? '')]);
    if (turn.text === null) return this.#again(turn, conversation);
    return {
      path: pathOf(conversation),
      body: { inputs: [messageEntry(said(turn.text))], ...this.#limits(turn) },
    };
  }

  /** Instructions and tools are fixed here. An agent has its own, so it is told ours as the first message. */
  async #start(turn: ModelTurn, said: readonly PastTurn[]): Promise<TurnRequest> {
    const path = '/v1/conversations';
    const { instructions, signal } = turn;
    if ('agentId' in this.#answerer) {
      const inputs = [{ role: 'user', text: instructions } as const, ...said].map(messageEntry);
      return { path, body: { agent_id: this.#answerer.agentId, inputs } };
    }
    const tools = await this.#tools.of(turn.tools, signal);
    const inputs = said.map(messageEntry);
    return {
      path,
      body: { model: this.#answerer.model, instructions, tools, inputs, ...this.#limits(turn) },
    };
  }

  /** Mistral answers only to what is sent, so the message is sent again after the entry before it. */
  async #again(turn: ModelTurn, conversation: string): Promise<TurnRequest> {
    const entries = await this.#history(conversation, turn.signal);
    const at = findMessage(entries, turn.marker);
    const message = said(textOf(entries[at]?.content));
    const before = entries[at - 1]?.id;
    if (at < 0)
      throw new ModelFault('lost_memory', { words: 'the conversation lacks the message to answer' });
    if (before === undefined) return this.#start(turn, [message]);
    const inputs = [messageEntry(message)];
    return {
      path: `${pathOf(conversation)}/restart`,
      body: { from_entry_id: before, inputs, ...this.#limits(turn) },
    };
  }

  /** An agent has its own. */
  #limits({ maxOutputTokens }: ModelTurn): object {
    return 'agentId' in this.#answerer ? {} : { completion_args: { max_tokens: maxOutputTokens } };
  }

  async #history(conversation: string, signal: AbortSignal): Promise<Entry[]> {
    try {
      const path = `${pathOf(conversation)}/history`;
      return (await this.#api.ask(History, { method: 'GET', path, signal })).entries;
    } catch (fault) {
      throw withoutAccess(fault);
    }
  }
}

function pathOf(conversation: string): string {
  return `/v1/conversations/${encodeURIComponent(conversation)}`;
}

function said(text: string): PastTurn {
  return { role: 'user', text };
}

/** Only the key that started a conversation has access to it. */
function withoutAccess(fault: unknown): unknown {
  if (!isFault(fault, 'not_found', 'no_access')) return fault;
  return new ModelFault('lost_memory', { words: fault.message }, { cause: fault });
}

/** Models that talk. */
async function modelChoices(api: JsonApi, signal: AbortSignal): Promise<ModelChoice[]> {
  const { data } = await api.ask(Models, { method: 'GET', path: '/v1/models', signal });
  return data
    .filter(({ capabilities }) => capabilities?.completion_chat !== false)
    .map(({ id, deprecation }) => ({ id, name: id, endsAt: deprecation ?? null }));
}

async function agentChoices(api: JsonApi, signal: AbortSignal): Promise<ModelChoice[]> {
  const request = { path: '/v1/agents/pages', query: { page_size: AGENTS_PER_PAGE }, signal };
  const pages = api.pages(AgentPage, request, {
    next: ({ next_page_token: page_token }) => (page_token ? { page_token } : null),
    maxPages: AGENT_PAGES,
  });
  const agents = (await Array.fromAsync(pages)).flatMap(({ data }) => data);
  return agents.map(({ id, name }) => ({ id, name: name ?? id, endsAt: null }));
}
