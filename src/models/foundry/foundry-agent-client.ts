import type { Clock } from '../../base/time.ts';
import type { JsonApi } from '../http/json-api.ts';
import { MadeOnce } from '../made-once.ts';
import type { ModelClient } from '../model-client.ts';
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
export function foundryAgentClient({ open, agent, clock }: FoundryAgentClientOptions): ModelClient {
  const answering = new MadeOnce<Answering>(clock);
  const find = (signal: AbortSignal) => answering.get(KEY, (within) => ask(open, agent, within), signal);
  const client: ModelClient = {
    probe: async (signal) => await probeConversation(client, signal),
    browse: async (signal) => await projectChoices(open(''), signal),
    async turn(turn, observer) {
      const { turns, fields } = await find(turn.signal);
      return await turns.send(fields, turn, observer, await turns.memoryOf(turn, observer));
    },
    reconcile: async (turn) => await (await find(turn.signal)).turns.fateOf(turn),
    forget: async (memory, signal) => await (await find(signal)).turns.forget(memory, signal),
  };
  return client;
}

async function ask(open: OpenApi, agent: AgentName, signal: AbortSignal): Promise<Answering> {
  const { name, version } = agent;
  if (await isContainer(open(''), agent, signal)) {
    const api = open(`/agents/${name}/endpoint/protocols/openai`, API_VERSION);
    return { turns: new Conversations(api, 'conversation'), fields: {} };
  }
  const agent_reference = { type: 'agent_reference', name, ...(version !== undefined && { version }) };
  return { turns: new Conversations(open('/openai/v1'), 'conversation'), fields: { agent_reference } };
}
