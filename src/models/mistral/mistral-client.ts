import * as z from 'zod';
import type { Clock } from '../../base/time.ts';
import type { JsonApi } from '../http/json-api.ts';
import { optionalField } from '../http/optional-field.ts';
import type { ModelChoice, ModelClient, ModelTurn, PastTurn } from '../model-client.ts';
import { isFault, ModelFault, unlessGone } from '../model-fault.ts';
import { conversationOf, forgottenConversation, memoryOf } from '../provider-conversation.ts';
import type { Answerer } from '../provider-fields.ts';
import { Entry, findMessage, messageEntry, textOf } from './entry.ts';
import { MistralTools } from './mistral-tools.ts';
import { functionCalled, ReplyStream } from './reply-stream.ts';

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

interface Mistral {
  readonly api: JsonApi;
  readonly answerer: Answerer;
  readonly tools: MistralTools;
}

/** The Conversations API: Mistral keeps each conversation. https://docs.mistral.ai/agents/agents_and_conversations */
export function mistralClient(api: JsonApi, clock: Clock, answerer: Answerer): ModelClient {
  const tools = new MistralTools(api, clock);
  const mistral = { api, answerer, tools };
  return {
    async probe(signal) {
      const path =
        'agentId' in answerer
          ? `/v1/agents/${encodeURIComponent(answerer.agentId)}`
          : `/v1/models/${encodeURIComponent(answerer.model)}`;
      await api.ask(Described, { method: 'GET', path, signal });
    },
    async browse(signal) {
      const [models, agents, hasConnectors] = await Promise.all([
        modelChoices(api, signal),
        agentChoices(api, signal),
        tools.isAllowed(signal),
      ]);
      return { models, agents, notice: hasConnectors ? null : NO_CONNECTORS };
    },
    async turn(turn, observer) {
      let conversation = conversationOf(turn);
      const events = await send(mistral, turn, conversation);
      const started = (id: string): void => {
        if (id !== conversation) observer.memoryChanged(memoryOf(id, turn));
        conversation = id;
      };
      const { maxOutputTokens } = turn;
      const reply = await new ReplyStream({ api, maxOutputTokens, observer, started }).read(events);
      return { ...reply, memory: conversation === null ? null : memoryOf(conversation, turn) };
    },
    async reconcile(turn) {
      const conversation = conversationOf(turn);
      // A conversation whose id never came is not used again, so the turn may start another one.
      if (conversation === null) return { kind: 'absent' };
      const entries = await historyOf(api, conversation, turn.signal);
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
    },
    async forget(memory, signal) {
      const conversation = forgottenConversation(memory);
      if (conversation === null) return;
      await unlessGone(api.tell({ method: 'DELETE', path: pathOf(conversation), signal }));
    },
    async forgetTools(digest, signal) {
      await unlessGone(tools.delete(digest, signal));
    },
  };
}

/** Resolves with the events of the reply. */
async function send(mistral: Mistral, turn: ModelTurn, conversation: string | null) {
  const { path, body: own } = await requestOf(mistral, turn, conversation);
  const { signal } = turn;
  const body = { ...own, stream: true, store: true };
  try {
    return await mistral.api.stream({ method: 'POST', path, body, signal });
  } catch (fault) {
    if (conversation === null && turn.tools) mistral.tools.forget(turn.tools);
    throw conversation === null ? fault : withoutAccess(fault);
  }
}

async function requestOf(
  mistral: Mistral,
  turn: ModelTurn,
  conversation: string | null,
): Promise<TurnRequest> {
  if (conversation === null) return start(mistral, turn, [...turn.history, said(turn.text ?? '')]);
  if (turn.text === null) return again(mistral, turn, conversation);
  const inputs = [messageEntry(said(turn.text))];
  return { path: pathOf(conversation), body: { inputs, ...limitsOf(mistral, turn) } };
}

/** Instructions and tools are fixed here. An agent has its own, so it is told ours as the first message. */
async function start(mistral: Mistral, turn: ModelTurn, said: readonly PastTurn[]): Promise<TurnRequest> {
  const { answerer } = mistral;
  const path = '/v1/conversations';
  const { instructions, signal } = turn;
  if ('agentId' in answerer) {
    const inputs = [{ role: 'user', text: instructions } as const, ...said].map(messageEntry);
    return { path, body: { agent_id: answerer.agentId, inputs } };
  }
  const tools = await mistral.tools.of(turn.tools, signal);
  const inputs = said.map(messageEntry);
  return { path, body: { model: answerer.model, instructions, tools, inputs, ...limitsOf(mistral, turn) } };
}

/** Mistral answers only to what is sent, so the message is sent again after the entry before it. */
async function again(mistral: Mistral, turn: ModelTurn, conversation: string): Promise<TurnRequest> {
  const entries = await historyOf(mistral.api, conversation, turn.signal);
  const at = findMessage(entries, turn.marker);
  const message = said(textOf(entries[at]?.content));
  const before = entries[at - 1]?.id;
  if (at < 0) throw new ModelFault('lost_memory', { words: 'the conversation lacks the message to answer' });
  if (before === undefined) return start(mistral, turn, [message]);
  const body = { from_entry_id: before, inputs: [messageEntry(message)], ...limitsOf(mistral, turn) };
  return { path: `${pathOf(conversation)}/restart`, body };
}

/** An agent has its own. */
function limitsOf({ answerer }: Mistral, { maxOutputTokens }: ModelTurn): object {
  return 'agentId' in answerer ? {} : { completion_args: { max_tokens: maxOutputTokens } };
}

async function historyOf(api: JsonApi, conversation: string, signal: AbortSignal): Promise<Entry[]> {
  try {
    const path = `${pathOf(conversation)}/history`;
    return (await api.ask(History, { method: 'GET', path, signal })).entries;
  } catch (fault) {
    throw withoutAccess(fault);
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
