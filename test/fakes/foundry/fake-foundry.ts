import { VendorError } from '../model-vendor/vendor-error.ts';
import type { VendorAnswer, VendorCall } from '../model-vendor/vendor-exchange.ts';
import type { VendorFault } from '../model-vendor/vendor-fault.ts';
import { FakeResponses } from '../responses/fake-responses.ts';
import type { ResponseRequest } from '../responses/response-request.ts';
import { apiError } from '../responses/responses-errors.ts';
import { FakeEntra } from './entra.ts';

const RESOURCE = '/openai/v1';
const PROJECT = '/api/projects/demo';
const OWN_ENDPOINT = /^\/agents\/([^/]+)\/endpoint\/protocols\/openai(\/.*)$/;

/** Azure refuses a prompt. https://learn.microsoft.com/azure/ai-foundry/openai/concepts/content-filter */
export const FILTERED_PROMPT: VendorFault = {
  kind: 'answer',
  status: 400,
  body: {
    error: {
      message: "The response was filtered due to the prompt triggering Azure OpenAI's content policy.",
      type: null,
      param: 'prompt',
      code: 'content_filter',
      status: 400,
      innererror: { code: 'ResponsibleAIPolicyViolation', content_filter_result: {} },
    },
  },
};

/** Microsoft Foundry: a resource with an API key, and one of its projects, which knows applications of Entra ID only. */
export class FakeFoundry extends FakeResponses {
  override readonly models = [{ id: 'gpt-6-luna', isReasoning: true }, { id: 'my-deployment' }] as const;
  readonly entra = new FakeEntra();
  /** Agents by name, and where they run. */
  readonly agents = new Map<string, 'prompt' | 'hosted'>([
    ['support-agent', 'prompt'],
    ['container-agent', 'hosted'],
  ]);

  /** Deployments on one page of their list. */
  pageSize = 100;

  constructor(key = 'fake-foundry-key-0123456789abcdef') {
    super(key);
  }

  /** Where a resource's model is. */
  get resourceUrl(): string {
    return this.url;
  }

  get projectUrl(): string {
    return `${this.url}${PROJECT}`;
  }

  protected override async answer(call: VendorCall): Promise<VendorAnswer> {
    return this.entra.answer(call) ?? (await super.answer(call));
  }

  protected override route({ path, query }: VendorCall): string | null {
    if (path.startsWith(`${RESOURCE}/`)) return path.slice(RESOURCE.length);
    if (!path.startsWith(`${PROJECT}/`)) return null;
    const route = path.slice(PROJECT.length);
    if (route.startsWith(RESOURCE)) return route.slice(RESOURCE.length);
    if (query.get('api-version') !== 'v1') {
      throw this.offence(
        apiError(400, "The 'api-version' query parameter is required.", { code: 'BadRequest' }),
      );
    }
    const [, name = '', rest] = OWN_ENDPOINT.exec(route) ?? [];
    return rest !== undefined && this.agents.get(name) === 'hosted' ? rest : route;
  }

  protected override authorize({ path, headers }: VendorCall): void {
    const isProject = path.startsWith(PROJECT);
    const { authorization } = headers;
    const isValid = isProject
      ? this.entra.isValid(authorization, 'https://ai.azure.com/.default')
      : headers['api-key'] === this.key ||
        authorization === `Bearer ${this.key}` ||
        this.entra.isValid(authorization, 'https://cognitiveservices.azure.com/.default');
    if (isValid) return;
    const message = `Access denied due to invalid subscription key ${headers['api-key'] ?? authorization}.`;
    throw new VendorError(401, { error: { code: '401', message } });
  }

  protected override other(route: string, { method, path, query }: VendorCall): VendorAnswer | null {
    if (method !== 'GET' || !path.startsWith(PROJECT)) return null;
    if (route === '/deployments') return { body: this.#deployments(query) };
    if (route === '/agents') {
      return {
        body: agentPage(
          [...this.agents.keys()].map((name) => this.#agent(name)),
          query,
        ),
      };
    }
    const [, name] = /^\/agents\/([^/]+)$/.exec(route) ?? [];
    return name === undefined ? null : { body: this.#agent(name) };
  }

  /** An agent's definition owns the rest. */
  protected override choose(wanted: ResponseRequest, call: VendorCall): string {
    const [, own] = OWN_ENDPOINT.exec(call.path.slice(PROJECT.length)) ?? [];
    const name = own ?? wanted.agent_reference?.name;
    if (name === undefined) return super.choose(wanted, call);
    this.#agent(name);
    const { model, instructions, tools, max_output_tokens } = wanted;
    if (model ?? instructions ?? tools ?? max_output_tokens) {
      throw this.offence(apiError(400, 'Not allowed when agent is specified.', { code: 'invalid_payload' }));
    }
    return name;
  }

  /** The link to the next page is a whole URL. */
  #deployments(query: URLSearchParams): object {
    const from = Number(query.get('skiptoken') ?? 0);
    const to = from + this.pageSize;
    const value = this.models.slice(from, to).map(({ id }) => deployment(id));
    const next = `${this.projectUrl}/deployments?api-version=v1&skiptoken=${to}`;
    return to < this.models.length ? { value, nextLink: next } : { value };
  }

  #agent(name: string): { readonly id: string } {
    const kind = this.agents.get(name);
    if (!kind) throw apiError(404, `Agent ${name} doesn't exist.`, { code: 'not_found' });
    const definition = { kind, model: 'gpt-6-luna', instructions: 'You are a hosted agent.' };
    const facts = { created_at: 1_700_000_000, metadata: {}, description: '', status: 'active' };
    const latest = { object: 'agent.version', id: `${name}:1`, name, version: '1', definition, ...facts };
    return { object: 'agent', id: name, name, versions: { latest } } as { id: string };
  }
}

function deployment(name: string): object {
  return {
    type: 'ModelDeployment',
    name,
    modelName: 'gpt-6-luna',
    modelVersion: '2026-09-01',
    modelPublisher: 'OpenAI',
    capabilities: { chat_completion: 'true' },
    sku: { name: 'GlobalStandard', capacity: 50 },
  };
}

function agentPage(agents: readonly { readonly id: string }[], query: URLSearchParams): object {
  const limit = Number(query.get('limit') ?? 20);
  const after = query.get('after');
  const start = after === null ? 0 : agents.findIndex(({ id }) => id === after) + 1;
  const data = agents.slice(start, start + limit);
  return {
    object: 'list',
    data,
    has_more: start + limit < agents.length,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  };
}
