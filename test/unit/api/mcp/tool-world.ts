import { join } from 'node:path';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import type { JsonSchemaType, JsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/types.js';
import { expect, onTestFinished } from 'vitest';
import type { Principal } from '../../../../src/api/auth/principal.ts';
import { IdempotentRequests } from '../../../../src/api/http/idempotency/idempotent-requests.ts';
import type { McpTool, ToolContext } from '../../../../src/api/mcp/tools/mcp-tool.ts';
import { type McpTools, mcpTools, type ToolDomains } from '../../../../src/api/mcp/tools/mcp-tools.ts';
import { ERROR_META_KEY, type Retry, resultJson } from '../../../../src/api/mcp/tools/tool-result.ts';
import { PLATFORM_TRAITS } from '../../../../src/base/platform.ts';
import { ReadingTime } from '../../../../src/base/reading-time.ts';
import { openFiles } from '../../../../src/files/open-files.ts';
import type { Reading } from '../../../../src/messaging/inbox/inbox-view.ts';
import { Wakeups } from '../../../../src/messaging/inbox/wakeups.ts';
import type { AnyJson } from '../../../support/any-json.ts';
import { budgetsOf } from '../../../support/budgets.ts';
import { FakeDirectory } from '../../accounts/fake-directory.ts';
import { connectionsOf } from '../../accounts/test-connections.ts';
import { Outbound } from '../../messaging/outbound-harness.ts';
import { waitersOf } from '../../messaging/waiters-of.ts';
import { temporaryDir } from '../../store/temporary.ts';
import { FakeCalls } from './fake-calls.ts';

const MAX_FILE_BYTES = 1_000;
const PUBLIC_URL = 'https://gateway.example';

/** The result of a tool call. */
export interface Told {
  /** The structured content; null for an error. */
  readonly body: AnyJson;
  /** Status and text of an error; empty on success. */
  readonly error: string;
  readonly meta: AnyJson;
}

export interface CallOptions extends Partial<ToolContext> {
  readonly as?: Principal;
}

/** The tools over one real store: calls without a network, a fake platform, a clock that stands still. */
export class ToolWorld {
  readonly outbound: Outbound;
  readonly calls: FakeCalls;
  readonly domains: ToolDomains;
  readonly tools: McpTools;
  readonly wakeups: Wakeups;
  readonly agent: Principal;
  readonly stranger: Principal;
  /** The errors reported as internal, with their request ids. */
  readonly failures: { error: unknown; requestId: string }[];
  readonly #validators = new Map<string, JsonSchemaValidator<unknown>>();

  private constructor(
    parts: Pick<ToolWorld, 'outbound' | 'calls' | 'domains' | 'wakeups' | 'agent' | 'failures'>,
  ) {
    this.outbound = parts.outbound;
    this.calls = parts.calls;
    this.domains = parts.domains;
    this.wakeups = parts.wakeups;
    this.agent = parts.agent;
    this.failures = parts.failures;
    this.stranger = { ...parts.agent, accountId: 'acc_9', credentialId: 'key_9', agentIds: ['agt_9'] };
    this.tools = mcpTools(parts.domains);
  }

  static async open(options: Parameters<typeof Outbound.open>[0] = {}): Promise<ToolWorld> {
    const outbound = await Outbound.open(options);
    await outbound.bot();
    const { store, clock, accountId, agentId } = outbound;
    const wakeups = new Wakeups();
    const reading: Reading = {
      store,
      clock,
      attachments: async () => new Map(),
      files: async () => new Map(),
    };
    const waiters = waitersOf({ reading, wakeups, clock, store });
    onTestFinished(() => waiters.close());
    const calls = new FakeCalls(store, clock);
    onTestFinished(() => calls.domain.recorder.settled());
    const failures: ToolWorld['failures'] = [];
    const onError = (error: unknown, requestId = ''): void => void failures.push({ error, requestId });
    const domains: ToolDomains = {
      calls: calls.domain,
      inbox: { ...reading, waiters },
      outbound: outbound.domain,
      files: await openFiles(
        { dir: join(temporaryDir(), 'files'), limits: ROOMY, trusted: [] },
        {
          store,
          clock,
          readingTime: new ReadingTime(clock),
          maxBytes: MAX_FILE_BYTES,
          publicUrl: () => PUBLIC_URL,
          fetcher: () => undefined,
          count() {},
        },
      ),
      accounts: {
        store,
        directory: new FakeDirectory(),
        clock,
        traits: PLATFORM_TRAITS,
        calls: calls.domain,
        connections: connectionsOf(store),
        budgets: await budgetsOf(store, clock),
      },
      publicUrl: () => PUBLIC_URL,
      idempotency: new IdempotentRequests(store, clock, onError),
      onError,
    };
    const whole = { agentIds: [agentId], platforms: null };
    const agent: Principal = { kind: 'agent', accountId, credentialId: 'key_1', ...whole };
    return new ToolWorld({ outbound, calls, domains, wakeups, agent, failures });
  }

  /** Calls a tool, and checks what holds for every result. */
  async call(name: string, args?: unknown, { as = this.agent, ...more }: CallOptions = {}): Promise<Told> {
    const tool = this.tools.find(name)!;
    const result = await tool.call(contextOf(as, more), args);
    expect(resultJson(result)).toBe(JSON.stringify(result));
    const [first, ...rest] = result.content;
    expect(rest).toEqual([]);
    if (first?.type !== 'text') throw new Error('a result is text');
    if (result.isError) {
      expect(result).not.toHaveProperty('structuredContent');
      const meta: AnyJson = result._meta![ERROR_META_KEY];
      const [error = '', advice] = first.text.split('\n');
      expect(meta).toMatchObject({ request_id: 'req_1', status: Number(error.slice(0, 3)) });
      expect(advice).toMatch(ADVICE[meta.retry as Retry]);
      return { body: null, error, meta };
    }
    const body = result.structuredContent;
    expect(JSON.parse(first.text)).toEqual(body);
    // No fields unknown to the schema, either.
    expect(tool.output.parse(body)).toEqual(body);
    expect(this.#validatorOf(tool)(body)).toMatchObject({ valid: true });
    return { body, error: '', meta: null };
  }

  /** Validates a result against the output schema, as clients do. */
  #validatorOf({ description }: McpTool): JsonSchemaValidator<unknown> {
    const { name, outputSchema } = description;
    const known = this.#validators.get(name);
    if (known) return known;
    const made = new AjvJsonSchemaValidator().getValidator(outputSchema as JsonSchemaType);
    this.#validators.set(name, made);
    return made;
  }

  /** The result of a successful call. */
  async ask(name: string, args?: unknown, options: CallOptions = {}): Promise<Told['body']> {
    const { body, error } = await this.call(name, args, options);
    expect(error).toBe('');
    return body;
  }

  /** The status and text of a failed call. */
  async fault(name: string, args?: unknown, options: CallOptions = {}): Promise<string> {
    return (await this.call(name, args, options)).error;
  }

  /** An inbound call to the agent; returns its id. */
  ring(caller = '+331'): string {
    return this.calls.ring(caller, this.outbound);
  }
}

/** The retry hint of an error. */
const ADVICE: Readonly<Record<Retry, RegExp>> = {
  no: /^Nothing was done\. Do not repeat/,
  later: /^Nothing was done\. You can try again later/,
  unsure: /^It may have taken effect\. Check before/,
};

const ROOMY = { accountBytes: 100 * MAX_FILE_BYTES, totalBytes: 100 * MAX_FILE_BYTES };

function contextOf(principal: Principal, more: Partial<ToolContext>): ToolContext {
  const { signal } = new AbortController();
  return { principal, requestId: 'req_1', isStateful: false, signal, progress() {}, ...more };
}
