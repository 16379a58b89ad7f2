import * as z from 'zod';
import type { JsonApi } from '../http/json-api.ts';
import type { GatewayTools, ModelTurn } from '../model-client.ts';
import { isFault, ModelFault } from '../model-fault.ts';
import type { Answerer } from '../provider-fields.ts';
import type { GatewayObjects } from './gateway-objects.ts';

const MCP_SERVER = 'voice_chat_gateway';
const Session = z.object({ id: z.string() });
/** Those of an agent, which go back as they came. */
const Listed = z.array(z.unknown()).catch([]);
const PickedAgent = z.object({ system: z.string().nullish(), tools: Listed, mcp_servers: Listed });

/** Creates the sessions of one answerer. */
export class Sessions {
  readonly #api: JsonApi;
  readonly #objects: GatewayObjects;
  readonly #answerer: Answerer;

  constructor(api: JsonApi, objects: GatewayObjects, answerer: Answerer) {
    this.#api = api;
    this.#objects = objects;
    this.#answerer = answerer;
  }

  /** Resolves with the id of a new session for this turn. */
  async create(turn: ModelTurn): Promise<string> {
    try {
      return await this.#create(turn);
    } catch (fault) {
      if (isGone(fault)) this.#objects.forget(turn.tools);
      // Not every model takes the effort of spoken turns.
      else if (!turn.isSpoken || !isFault(fault, 'bad_request')) throw fault;
    }
    return this.#create({ ...turn, isSpoken: false });
  }

  async #create(turn: ModelTurn): Promise<string> {
    const { signal } = turn;
    const [environment, vault] = await Promise.all([
      this.#objects.environment(signal),
      turn.tools && this.#vault(turn.tools, signal),
    ]);
    const body = {
      agent: await this.#agent(turn, vault ? turn.tools : null),
      environment_id: environment,
      ...(vault && { vault_ids: [vault] }),
    };
    return (await this.#api.ask(Session, { method: 'POST', path: '/v1/sessions', body, signal })).id;
  }

  /** Null: the key may not keep secrets at Anthropic, so the model cannot read from the gateway. */
  async #vault(tools: GatewayTools, signal: AbortSignal): Promise<string | null> {
    try {
      return await this.#objects.vault(tools, signal);
    } catch (fault) {
      if (isFault(fault, 'no_access')) return null;
      throw fault;
    }
  }

  async #agent(turn: ModelTurn, tools: GatewayTools | null): Promise<object> {
    const { instructions: system, signal } = turn;
    const type = 'agent_with_overrides';
    if ('model' in this.#answerer) {
      const id = await this.#objects.agent(this.#answerer.model, signal);
      return { type, id, model: modelOf(this.#answerer, turn), system, ...mcp(tools) };
    }
    const { agentId: id } = this.#answerer;
    const path = `/v1/agents/${encodeURIComponent(id)}`;
    const own = await this.#api.ask(PickedAgent, { method: 'GET', path, signal });
    const joined = own.system ? `${own.system}\n\n${system}` : system;
    return { type, id, system: joined, ...(tools && mcp(tools, own)) };
  }
}

/** An id that was known is archived or gone, or its session has ended. */
export function isGone(fault: unknown): fault is ModelFault {
  return fault instanceof ModelFault && (fault.kind === 'not_found' || fault.status === 409);
}

/** Speech cannot wait for long thought. */
function modelOf({ model }: { readonly model: string }, { isSpoken }: ModelTurn): object | string {
  return isSpoken ? { id: model, effort: 'low' } : model;
}

/** Overrides replace the whole lists of an agent. Without this policy each use of a tool would wait for a confirmation. */
function mcp(
  tools: GatewayTools | null,
  own: { readonly tools: readonly unknown[]; readonly mcp_servers: readonly unknown[] } = NONE,
): object {
  if (tools === null) return { mcp_servers: own.mcp_servers, tools: own.tools };
  const server = { type: 'url', name: MCP_SERVER, url: tools.url };
  const policy = { permission_policy: { type: 'always_allow' } };
  const toolset = { type: 'mcp_toolset', mcp_server_name: MCP_SERVER, default_config: policy };
  return { mcp_servers: [...own.mcp_servers, server], tools: [...own.tools, toolset] };
}

const NONE = { tools: [], mcp_servers: [] };
