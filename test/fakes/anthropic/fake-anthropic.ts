import { FakeModelVendor } from '../model-vendor/fake-model-vendor.ts';
import { VendorError } from '../model-vendor/vendor-error.ts';
import type { VendorAnswer, VendorCall } from '../model-vendor/vendor-exchange.ts';
import type { Refusal } from '../model-vendor/vendor-fault.ts';
import { apiError, badKey, notFound, refusalOf } from './anthropic-errors.ts';
import {
  NewAgent,
  NewCredential,
  NewEnvironment,
  NewSession,
  NewVault,
  readBody,
  type SessionModel,
  type SessionServers,
  type SessionTools,
} from './anthropic-requests.ts';
import { FakeSession } from './fake-session.ts';
import { checkDeletable, sessionRoute, sessionWire } from './session-routes.ts';
import { nowIso, StoredObjects } from './stored-objects.ts';

const BETA = 'managed-agents-2026-04-01';
const VERSIONS = ['2023-06-01', '2026-10-21'];
const PATH = /^\/v1\/(?<kind>[a-z]+)(?:\/(?<id>[^/]+)(?<rest>\/.+)?)?$/;

const MODELS = [
  { id: 'claude-opus-5-5', display_name: 'Claude Opus 5.5', lifecycle: 'active', retires_at: null },
  { id: 'claude-haiku-5-5', display_name: 'Claude Haiku 5.5', lifecycle: 'active', retires_at: null },
  {
    id: 'claude-haiku-4-5',
    display_name: 'Claude Haiku 4.5',
    lifecycle: 'deprecated',
    retires_at: '2027-02-01T00:00:00Z',
  },
  { id: 'claude-2-1', display_name: 'Claude 2.1', lifecycle: 'retired', retires_at: '2025-07-21T00:00:00Z' },
].map((model) => ({ type: 'model', created_at: '2026-01-01T00:00:00Z', ...model }));
/** It does not take `effort`. */
const EFFORTLESS = 'claude-haiku-4-5';

/** Anthropic's Managed Agents: agents, environments, vaults, sessions and models. */
export class FakeAnthropic extends FakeModelVendor {
  readonly agents = new StoredObjects('agent', 'agent');
  readonly environments = new StoredObjects('environment', 'env');
  readonly vaults = new StoredObjects('vault', 'vlt');
  /** By vault. */
  readonly credentials = new Map<string, StoredObjects>();
  readonly sessions = new Map<string, FakeSession>();
  /** Parts of messages go out before the message. */
  hasDeltas = true;
  /** The key may keep secrets. */
  hasVaults = true;
  readonly #tokens = new Map<string, string>();

  constructor(key = 'sk-ant-api03-FakeKeyOfAnthropic0123456789') {
    super(key);
  }

  /** The session that was created last. */
  get lastSession(): FakeSession {
    return [...this.sessions.values()].at(-1)!;
  }

  /** Whether a client follows a session. */
  get isStreaming(): boolean {
    return [...this.sessions.values()].some(({ log }) => log.isFollowed);
  }

  protected override async answer(call: VendorCall): Promise<VendorAnswer> {
    const { kind = '', id, rest = '' } = PATH.exec(call.path)?.groups ?? {};
    this.#authorize(call, kind);
    try {
      const answer = id === undefined ? this.#collection(kind, call) : this.#one(kind, { id, rest }, call);
      if (answer) return answer;
    } catch (error) {
      const isOffence =
        error instanceof VendorError && error.status === 400 && !error.message.includes('is running');
      throw isOffence ? this.offence(error) : error;
    }
    throw this.offence(notFound(`${call.method} ${call.path}`));
  }

  protected override refusal(why: Refusal, retryAfterS: number | null): VendorError {
    return refusalOf(why, retryAfterS);
  }

  /** The key is in `x-api-key` as documented, or a bearer as the SDK sends it. */
  #authorize({ headers }: VendorCall, kind: string): void {
    const key = headers['x-api-key'] ?? headers.authorization?.replace('Bearer ', '');
    if (key !== this.key) throw badKey(String(key));
    if (!VERSIONS.includes(String(headers['anthropic-version']))) {
      throw this.offence(apiError(400, 'anthropic-version: header is required'));
    }
    const betas = String(headers['anthropic-beta'] ?? '').split(',');
    if (kind !== 'models' && !betas.includes(BETA))
      throw this.offence(apiError(400, `anthropic-beta: ${BETA} is required`));
  }

  #collection(kind: string, { method, query, body }: VendorCall): VendorAnswer | null {
    if (method === 'GET' && kind === 'models') return { body: modelPage() };
    const stored = { agents: this.agents, environments: this.environments, vaults: this.vaults }[kind];
    if (kind === 'vaults' && !this.hasVaults) throw refusalOf('no_access', null);
    if (method === 'GET' && stored) return { body: stored.page(query) };
    if (method !== 'POST') return null;
    switch (kind) {
      case 'agents':
        return { body: this.#newAgent(body) };
      case 'environments':
        return { body: this.environments.add(readBody(NewEnvironment, body)) };
      case 'vaults':
        return { body: this.vaults.add(readBody(NewVault, body)) };
      case 'sessions':
        return { body: sessionWire(this.#newSession(body)) };
      default:
        return null;
    }
  }

  #one(
    kind: string,
    { id, rest }: { readonly id: string; readonly rest: string },
    call: VendorCall,
  ): VendorAnswer | null {
    const isGet = call.method === 'GET';
    if (kind === 'models' && isGet) return { body: modelOf(id) };
    if (kind === 'agents' && isGet && rest === '') return { body: this.agents.get(id) };
    if (kind === 'agents' && call.method === 'POST' && rest === '/archive') return { body: this.archive(id) };
    if (kind === 'vaults' && call.method === 'DELETE' && rest === '') return { body: this.vaults.delete(id) };
    if (kind === 'vaults' && rest === '/credentials') return this.#credentials(id, call);
    if (kind !== 'sessions') return null;
    const session = this.sessions.get(id);
    if (!session) throw notFound('session');
    if (call.method !== 'DELETE' || rest !== '') return sessionRoute(session, rest, call);
    checkDeletable(session);
    this.sessions.delete(id);
    session.log.send({ type: 'session.deleted', id: 'sevt_deleted', processed_at: nowIso() });
    return { body: { id, type: 'session_deleted' } };
  }

  archive(agentId: string): object {
    const agent = this.agents.get(agentId);
    agent.archived_at = nowIso();
    return agent;
  }

  #credentials(vaultId: string, { method, query, body }: VendorCall): VendorAnswer | null {
    this.vaults.get(vaultId);
    const stored = this.credentials.get(vaultId) ?? new StoredObjects('vault_credential', 'vcrd');
    this.credentials.set(vaultId, stored);
    if (method === 'GET') return { body: stored.page(query) };
    if (method !== 'POST') return null;
    const { auth, ...fields } = readBody(NewCredential, body);
    const { token, ...shown } = auth;
    const credential = stored.add({ ...fields, auth: shown, vault_id: vaultId });
    this.#tokens.set(credential.id, token);
    return { body: credential };
  }

  #newAgent(body: unknown): object {
    const {
      model,
      tools = [],
      mcp_servers: servers = [],
      system = null,
      ...fields
    } = readBody(NewAgent, body);
    checkModel(model);
    checkServers(tools, servers);
    const config = typeof model === 'string' ? { id: model } : model;
    return this.agents.add({ ...fields, model: config, system, tools, mcp_servers: servers, version: 1 });
  }

  #newSession(body: unknown): FakeSession {
    const { agent: wanted, environment_id, vault_ids = [] } = readBody(NewSession, body);
    const overrides = typeof wanted === 'object' && wanted.type === 'agent_with_overrides' ? wanted : null;
    const agent = this.agents.get(typeof wanted === 'string' ? wanted : wanted.id);
    if (agent.archived_at) throw apiError(409, `agent ${agent.id} is archived`);
    if (this.environments.get(environment_id).archived_at) throw apiError(409, 'the environment is archived');
    const model = overrides?.model ?? (agent.model as SessionModel);
    const tools = overrides?.tools ?? (agent.tools as SessionTools);
    const servers = overrides?.mcp_servers ?? (agent.mcp_servers as SessionServers);
    checkModel(model);
    checkServers(tools, servers);
    const session = new FakeSession({
      model: typeof model === 'string' ? model : model.id,
      system: overrides?.system ?? String(agent.system ?? ''),
      tools,
      servers,
      bearers: this.#bearers(vault_ids),
      hasDeltas: () => this.hasDeltas,
      reply: () => this.reply,
    });
    this.sessions.set(session.id, session);
    return session;
  }

  #bearers(vaultIds: readonly string[]): ReadonlyMap<string, string> {
    const credentials = vaultIds.flatMap((id) => this.credentials.get(this.vaults.get(id).id)?.all ?? []);
    return new Map(
      credentials.map(({ id, auth }) => [
        (auth as { mcp_server_url: string }).mcp_server_url,
        this.#tokens.get(id) ?? '',
      ]),
    );
  }
}

function checkModel(model: SessionModel): void {
  const { id } = modelOf(typeof model === 'string' ? model : model.id);
  if (typeof model === 'object' && model.effort && id === EFFORTLESS) {
    throw apiError(400, `model.effort: ${id} does not support effort`);
  }
}

/** Each server needs a toolset, and each toolset a server. */
function checkServers(tools: SessionTools, servers: SessionServers): void {
  const named = new Set(tools.flatMap((tool) => (tool.type === 'mcp_toolset' ? [tool.mcp_server_name] : [])));
  const names = new Set(servers.map(({ name }) => name));
  if (names.size !== servers.length) throw apiError(400, 'mcp_servers: names must be unique');
  const isMatched = named.size === names.size && [...named].every((name) => names.has(name));
  if (!isMatched) {
    throw apiError(400, 'mcp_servers: every server must be referenced by an mcp_toolset');
  }
}

function modelOf(id: string) {
  const model = MODELS.find((known) => known.id === id);
  if (!model) throw notFound(`model: ${id}`);
  return model;
}

/** A list of another kind than the others: `before_id`, `after_id`. Retired models are left out. */
function modelPage(): object {
  const data = MODELS.filter(({ lifecycle }) => lifecycle !== 'retired');
  return { data, has_more: false, first_id: data[0]?.id, last_id: data.at(-1)?.id };
}
