import * as z from 'zod';
import type { Clock } from '../../base/time.ts';
import type { JsonApi } from '../http/json-api.ts';
import { MadeOnce } from '../made-once.ts';
import type { GatewayTools } from '../model-client.ts';
import { isFault, unlessGone } from '../model-fault.ts';
import { toolsDigest } from '../provider-conversation.ts';

/** At most 64 letters, digits, dashes and underscores. */
const NAME_PREFIX = 'voice_chat_gateway_';
const CREDENTIALS_NAME = 'voice_chat_gateway';
const Connector = z.object({ id: z.string() });

/** Connectors by which models read from the gateway: one per bearer, found again by its name. */
export class MistralTools {
  readonly #api: JsonApi;
  readonly #connectors: MadeOnce<string>;

  constructor(api: JsonApi, clock: Clock) {
    this.#api = api;
    this.#connectors = new MadeOnce(clock);
  }

  /** Resolves with the tools of a new conversation: none if the key may not use connectors. */
  async of(tools: GatewayTools | null, signal: AbortSignal): Promise<object[]> {
    if (tools === null) return [];
    try {
      const make = (limit: AbortSignal) => this.#make(tools, limit);
      const id = await this.#connectors.get(toolsDigest(tools), make, signal);
      return [{ type: 'connector', connector_id: id }];
    } catch (fault) {
      if (isFault(fault, 'no_access')) return [];
      throw fault;
    }
  }

  /** Somebody may have deleted the connector. */
  forget(tools: GatewayTools): void {
    this.#connectors.forget(toolsDigest(tools));
  }

  /** Deletes the connector of a bearer, if there is one. */
  async delete(digest: string, signal: AbortSignal): Promise<void> {
    this.#connectors.forget(digest);
    const id = await this.#find(NAME_PREFIX + digest, signal);
    if (id === null) return;
    await this.#api.tell({ method: 'DELETE', path: `/v1/connectors/${encodeURIComponent(id)}`, signal });
  }

  /** Whether the key may use connectors. */
  async isAllowed(signal: AbortSignal): Promise<boolean> {
    try {
      await this.#api.tell({ method: 'GET', path: '/v1/connectors', query: { page_size: 1 }, signal });
      return true;
    } catch (fault) {
      if (isFault(fault, 'no_access')) return false;
      throw fault;
    }
  }

  async #make(tools: GatewayTools, signal: AbortSignal): Promise<string> {
    const name = NAME_PREFIX + toolsDigest(tools);
    const id = (await this.#find(name, signal)) ?? (await this.#create(name, tools, signal));
    const body = { name: CREDENTIALS_NAME, is_default: true, credentials: { bearer_token: tools.bearer } };
    const path = `/v1/connectors/${encodeURIComponent(id)}/user/credentials`;
    await this.#api.tell({ method: 'POST', path, body, secret: tools.bearer, signal });
    return id;
  }

  async #find(name: string, signal: AbortSignal): Promise<string | null> {
    const asked = this.#api.ask(Connector, { method: 'GET', path: `/v1/connectors/${name}`, signal });
    return (await unlessGone(asked))?.id ?? null;
  }

  async #create(name: string, { url }: GatewayTools, signal: AbortSignal): Promise<string> {
    const body = {
      name,
      description: 'Messages and calls of the agent',
      server: url,
      protocol: 'mcp',
      visibility: 'private',
      auth_methods: [{ method_type: 'bearer' }],
    };
    return (await this.#api.ask(Connector, { method: 'POST', path: '/v1/connectors', body, signal })).id;
  }
}
