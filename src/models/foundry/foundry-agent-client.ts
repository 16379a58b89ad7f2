import type { Clock } from '../../base/time.ts';
import type { JsonApi } from '../http/json-api.ts';
import { MadeOnce } from '../made-once.ts';
import type {
  ModelChoices,
  ModelClient,
  ModelMemory,
  ModelReply,
  ModelTurn,
  TurnFate,
  TurnObserver,
} from '../model-client.ts';
import { Conversations } from '../responses/conversations.ts';
import { probeConversation } from '../responses/probe-turn.ts';
import { type AgentName, API_VERSION, isContainer } from './foundry-agent.ts';
import { projectChoices } from './foundry-choices.ts';

/** Returns the API at a path below the project or the resource. */
export type OpenApi = (path: string, query?: Readonly<Record<string, string>>) => JsonApi;

export interface FoundryAgentClientOptions {
  readonly open: OpenApi;
  readonly agent: AgentName;
  readonly clock: Clock;
}

interface Answering {
  readonly turns: Conversations;
  readonly fields: object;
}

const KEY = 'answering';

/**
 * An agent that is hosted by a Foundry project. Its model, instructions and tools are its own, so the gateway's
 * instructions are a message in the conversation.
 * https://learn.microsoft.com/azure/ai-foundry/agents/concepts/runtime-components
 */
export class FoundryAgentClient implements ModelClient {
  readonly #options: FoundryAgentClientOptions;
  readonly #answering: MadeOnce<Answering>;

  constructor(options: FoundryAgentClientOptions) {
    this.#options = options;
    this.#answering = new MadeOnce(options.clock);
  }

  async probe(signal: AbortSignal): Promise<void> {
    await probeConversation(this, signal);
  }

  async browse(signal: AbortSignal): Promise<ModelChoices> {
    return await projectChoices(this.#options.open(''), signal);
  }

  async turn(turn: ModelTurn, observer: TurnObserver): Promise<ModelReply> {
    const { turns, fields } = await this.#find(turn.signal);
    const memory = turn.memory ?? (await turns.start(turn));
    if (turn.memory === null) observer.memoryChanged(memory);
    return await turns.send(fields, turn, observer, memory);
  }

  async reconcile(turn: ModelTurn): Promise<TurnFate> {
    const { turns } = await this.#find(turn.signal);
    return await turns.fateOf(turn);
  }

  async forget(memory: ModelMemory, signal: AbortSignal): Promise<void> {
    const { turns } = await this.#find(signal);
    await turns.forget(memory, signal);
  }

  #find(signal: AbortSignal): Promise<Answering> {
    return this.#answering.get(KEY, (within) => this.#ask(within), signal);
  }

  async #ask(signal: AbortSignal): Promise<Answering> {
    const { open, agent } = this.#options;
    const { name, version } = agent;
    if (await isContainer(open(''), agent, signal)) {
      const api = open(`/agents/${name}/endpoint/protocols/openai`, API_VERSION);
      return { turns: new Conversations(api, 'conversation'), fields: {} };
    }
    const agent_reference = { type: 'agent_reference', name, ...(version !== undefined && { version }) };
    return { turns: new Conversations(open('/openai/v1'), 'conversation'), fields: { agent_reference } };
  }
}
