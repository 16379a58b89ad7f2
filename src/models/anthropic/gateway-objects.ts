import * as z from 'zod';
import type { Clock } from '../../base/time.ts';
import type { JsonApi } from '../http/json-api.ts';
import { MadeOnce } from '../made-once.ts';
import type { GatewayTools } from '../model-client.ts';
import { toolsDigest } from '../provider-conversation.ts';
import { listed } from './anthropic-api.ts';

const NAME = 'Voice and chat gateway';
/** Metadata of everything that the gateway makes at Anthropic, so that it is found again after a restart. */
const LABEL = 'voice-chat-gateway';
const LABEL_OF_ALL = '1';

const Labelled = z.object({ id: z.string(), metadata: z.record(z.string(), z.string()).catch({}) });
const Made = z.object({ id: z.string() });

/** Whether this agent is the gateway's own, and not one to choose. */
export function isOfGateway({ metadata }: { readonly metadata: Readonly<Record<string, string>> }): boolean {
  return metadata[LABEL] !== undefined;
}

/**
 * What sessions need and share at Anthropic: one agent and one environment per key, and one vault per bearer. Sessions
 * override the agent's model, instructions and tools, so one agent serves all conversations.
 */
export class GatewayObjects {
  readonly #api: JsonApi;
  readonly #ids: MadeOnce<string>;

  constructor(api: JsonApi, clock: Clock) {
    this.#api = api;
    this.#ids = new MadeOnce(clock);
  }

  /** `model`: of a new agent. */
  agent(model: string, signal: AbortSignal): Promise<string> {
    return this.#ids.get(
      'agent',
      (limit) => this.#labelled('/v1/agents', { name: NAME, model }, limit),
      signal,
    );
  }

  environment(signal: AbortSignal): Promise<string> {
    // Nothing runs in the container: tools are on MCP servers.
    const config = { type: 'cloud', networking: { type: 'unrestricted' } };
    return this.#ids.get(
      'environment',
      (limit) => this.#labelled('/v1/environments', { name: NAME, config }, limit),
      signal,
    );
  }

  /** The vault that holds the bearer for the gateway's MCP server. */
  vault(tools: GatewayTools, signal: AbortSignal): Promise<string> {
    return this.#ids.get(toolsDigest(tools), (limit) => this.#makeVault(tools, limit), signal);
  }

  /** Deletes the vault of a bearer, if there is one. */
  async deleteVault(digest: string, signal: AbortSignal): Promise<void> {
    this.#ids.forget(digest);
    const vault = await this.#find('/v1/vaults', digest, signal);
    if (vault === null) return;
    await this.#api.tell({ method: 'DELETE', path: `/v1/vaults/${encodeURIComponent(vault)}`, signal });
  }

  /** Somebody has archived or deleted some of them. */
  forget(tools: GatewayTools | null): void {
    this.#ids.forget('agent');
    this.#ids.forget('environment');
    if (tools) this.#ids.forget(toolsDigest(tools));
  }

  async #makeVault(tools: GatewayTools, signal: AbortSignal): Promise<string> {
    const vault = await this.#labelled('/v1/vaults', { display_name: NAME }, signal, toolsDigest(tools));
    const path = `/v1/vaults/${encodeURIComponent(vault)}/credentials`;
    for await (const _credential of listed(this.#api, Made, { path, signal })) return vault;
    const auth = { type: 'static_bearer', token: tools.bearer, mcp_server_url: tools.url };
    await this.#api.ask(Made, { method: 'POST', path, body: { auth }, secret: tools.bearer, signal });
    return vault;
  }

  /** Returns the id of the one with this label. Makes it when there is none. */
  async #labelled(path: string, body: object, signal: AbortSignal, label = LABEL_OF_ALL): Promise<string> {
    const known = await this.#find(path, label, signal);
    if (known !== null) return known;
    const labelled = { ...body, metadata: { [LABEL]: label } };
    return (await this.#api.ask(Made, { method: 'POST', path, body: labelled, signal })).id;
  }

  /** Null: nothing has this label. */
  async #find(path: string, label: string, signal: AbortSignal): Promise<string | null> {
    for await (const { id, metadata } of listed(this.#api, Labelled, { path, signal })) {
      if (metadata[LABEL] === label) return id;
    }
    return null;
  }
}
