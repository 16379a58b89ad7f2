import type { VendorAnswer, VendorCall } from '../model-vendor/vendor-exchange.ts';
import { apiError, notFound } from './mistral-errors.ts';
import { NewConnector, NewCredentials, readBody } from './mistral-requests.ts';
import { newId, nowIso } from './stored-conversation.ts';

const PATH = /^\/v1\/connectors(?:\/(?<id>[^/]+)(?<rest>\/.+)?)?$/;

interface Connector {
  readonly id: string;
  readonly name: string;
  readonly server: string;
  bearer: string | null;
}

/** Connectors of the account: MCP servers, each with the bearer of the key's owner. */
export class FakeConnectors {
  readonly all: Connector[] = [];
  /** The key may use them. */
  isAllowed = true;

  /** Null: another path or method. */
  answer({ method, path, body }: VendorCall): VendorAnswer | null {
    const groups = PATH.exec(path)?.groups;
    if (!groups) return null;
    if (!this.isAllowed)
      throw apiError(403, 'This key may not use private and shared connectors', { type: 'forbidden' });
    const { id, rest } = groups;
    if (method === 'GET' && id === undefined) {
      return { body: { items: this.all.map(wireOf), pagination: { next_cursor: null, page_size: 100 } } };
    }
    if (method === 'POST' && id === undefined) return { status: 201, body: this.#create(body) };
    if (method === 'GET' && rest === undefined) return { body: wireOf(this.#get(id!)) };
    if (method === 'DELETE' && rest === undefined) return { body: this.#delete(id!) };
    if (method === 'POST' && rest === '/user/credentials') return { body: this.#keep(id!, body) };
    return null;
  }

  tool(id: string): { readonly url: string; readonly bearer: string | null } {
    const { server: url, bearer } = this.#get(id);
    return { url, bearer };
  }

  #get(idOrName: string): Connector {
    const connector = this.all.find(({ id, name }) => id === idOrName || name === idOrName);
    if (!connector) throw notFound('Connector');
    return connector;
  }

  #create(body: unknown): object {
    const { name, server } = readBody(NewConnector, body);
    if (this.all.some((connector) => connector.name === name))
      throw apiError(409, `Connector ${name} exists`);
    const connector = { id: newId('conn'), name, server, bearer: null };
    this.all.push(connector);
    return wireOf(connector);
  }

  /** By its id only. */
  #delete(id: string): object {
    const at = this.all.findIndex((connector) => connector.id === id);
    if (at < 0) throw notFound('Connector');
    this.all.splice(at, 1);
    return { message: 'connector deleted' };
  }

  #keep(id: string, body: unknown): object {
    const { credentials } = readBody(NewCredentials, body);
    this.#get(id).bearer = credentials?.bearer_token ?? null;
    return { message: 'credentials stored' };
  }
}

function wireOf({ id, name, server }: Connector): object {
  return {
    id,
    name,
    server,
    description: '',
    protocol: 'mcp',
    created_at: nowIso(),
    modified_at: nowIso(),
    owner_type: 'user',
    visibility: 'private',
    private_tool_execution: false,
    mistral: false,
  };
}
