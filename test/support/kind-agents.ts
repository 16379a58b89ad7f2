import { modelProvider } from '../../src/models/all-providers.ts';
import type { AnyJson } from './any-json.ts';
import type { Gateway } from './gateway.ts';
import { MODEL_KINDS, type ModelKind, type ProviderConfig } from './model-kinds.ts';
import type { ModelVendors } from './model-vendors.ts';
import { waitFor } from './wait-for.ts';

/** An agent of a gateway, with a model of one kind. */
export class KindAgent {
  readonly id: string;
  readonly kind: ModelKind;
  readonly config: ProviderConfig;
  readonly #gateway: Gateway;

  private constructor(id: string, kind: ModelKind, config: ProviderConfig, gateway: Gateway) {
    this.id = id;
    this.kind = kind;
    this.config = config;
    this.#gateway = gateway;
  }

  /** Makes an agent of each kind. `provider`: more fields of their providers. */
  static async all(
    gateway: Gateway,
    vendors: ModelVendors,
    provider: Readonly<Record<string, unknown>> = {},
  ): Promise<ReadonlyMap<ModelKind, KindAgent>> {
    const agents = new Map<ModelKind, KindAgent>();
    for (const kind of MODEL_KINDS) {
      const { id } = accepted(await gateway.settingsApi.post('/api/agents', { name: kind.name }));
      const config = kind.config(vendors);
      for (const { name, kind: type } of modelProvider(kind.provider).fields)
        if (type === 'secret' && config[name] !== undefined) gateway.secrets.add(config[name]);
      const agent = new KindAgent(id, kind, config, gateway);
      await agent.setProvider(config, provider);
      agents.set(kind, agent);
    }
    return agents;
  }

  /** Sets these fields of the provider's settings; the others stay. */
  async setProvider(config: ProviderConfig, fields: Readonly<Record<string, unknown>> = {}): Promise<void> {
    const { provider } = this.kind;
    const path = `/api/agents/${this.id}/provider`;
    accepted(await this.#gateway.settingsApi.patch(path, { provider, config, ...fields }));
  }

  /** Moves a bot or a number of the default agent to this one. */
  async take(type: 'bot_token' | 'sip_number', memberId: string): Promise<void> {
    const { settingsApi } = this.#gateway;
    const { agents } = accepted(await settingsApi.get('/api/agents'));
    const { id: former } = agents.find(({ is_default }: AnyJson) => is_default);
    const member = { account_type: type, account_id: memberId };
    accepted(await settingsApi.post(`/api/agents/${this.id}/accounts`, member));
    accepted(await settingsApi.delete(`/api/agents/${former}/accounts/${type}/${memberId}`));
  }

  /** Runs a healthcheck. Resolves with its outcome. */
  async health(): Promise<string> {
    const path = `/api/agents/${this.id}/provider/healthcheck`;
    const { id } = accepted(await this.#gateway.settingsApi.post(path));
    return await waitFor(`the health of ${this.kind.name}`, async () => (await this.delivery(id)).health);
  }

  /** Deliveries without their details, oldest first. */
  async deliveries(): Promise<AnyJson[]> {
    const path = `/api/agents/${this.id}/deliveries`;
    return accepted(await this.#gateway.settingsApi.get(path)).deliveries.toReversed();
  }

  async delivery(id: string): Promise<AnyJson> {
    return accepted(await this.#gateway.settingsApi.get(`/api/agent-deliveries/${id}`));
  }
}

/** Returns the body of a successful answer. */
export function accepted({ status, body }: { readonly status: number; readonly body: AnyJson }): AnyJson {
  if (status < 300) return body;
  throw new Error(`${status} ${JSON.stringify(body)}`);
}
