import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { failureReply } from '../../../../src/api/http/answer/error-reply.ts';
import type { McpTool, ToolContext } from '../../../../src/api/mcp/tools/mcp-tool.ts';
import type { McpTools } from '../../../../src/api/mcp/tools/mcp-tools.ts';
import { toolError, toolResult } from '../../../../src/api/mcp/tools/tool-result.ts';
import { GatewayError } from '../../../../src/base/errors.ts';

type Run = (context: ToolContext, args: Readonly<Record<string, unknown>>) => unknown;

/** Calls of `wait` that are waiting now. */
export interface WaitingCall {
  readonly context: ToolContext;
  finish(): void;
}

/** Minimal tools: repeat, refuse, wait, report progress. */
export class FakeTools implements McpTools {
  readonly waiting: WaitingCall[] = [];
  readonly #byName: ReadonlyMap<string, McpTool>;

  constructor() {
    const tools = [
      tool('repeat', true, (_context, args) => ({ repeated: args })),
      tool('change', false, (_context, args) => ({ changed: args })),
      tool('refuse', true, () => {
        throw new GatewayError('call_not_found');
      }),
      tool('whoami', true, ({ principal, isStateful }) => ({ ...principal, platforms: null, isStateful })),
      tool('wait', false, (context) => this.#wait(context)),
      tool('steps', true, async (context) => {
        context.progress('one');
        await new Promise((resolve) => setImmediate(resolve));
        context.progress('two');
        return { done: true };
      }),
    ];
    this.#byName = new Map(tools.map((one) => [one.description.name, one]));
  }

  get descriptions(): Tool[] {
    return Array.from(this.#byName.values(), ({ description }) => description);
  }

  list(): Tool[] {
    return this.descriptions;
  }

  find(name: string): McpTool | undefined {
    return this.#byName.get(name);
  }

  async #wait(context: ToolContext): Promise<unknown> {
    const { signal } = context;
    const { promise, resolve } = Promise.withResolvers<void>();
    const call = { context, finish: resolve };
    this.waiting.push(call);
    signal.addEventListener('abort', () => resolve(), { once: true });
    if (signal.aborted) resolve();
    await promise;
    this.waiting.splice(this.waiting.indexOf(call), 1);
    return { waited: true, aborted: signal.aborted };
  }
}

function tool(name: string, readOnlyHint: boolean, run: Run): McpTool {
  return {
    description: {
      name,
      title: `To ${name}`,
      description: `Does nothing but ${name}`,
      inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
      outputSchema: { type: 'object' },
      annotations: { readOnlyHint },
    },
    output: z.looseObject({}),
    async call(context, args): Promise<CallToolResult> {
      try {
        return toolResult({ body: await run(context, (args ?? {}) as Record<string, unknown>) });
      } catch (error) {
        return toolError(failureReply(error), context.requestId);
      }
    },
  };
}
