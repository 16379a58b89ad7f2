import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import type { Principal } from '../../auth/principal.ts';
import type { JsonReply } from '../../http/reply.ts';
import type { Route } from '../../http/route.ts';

/** Who calls a tool, and how the call goes on meanwhile. */
export interface ToolContext {
  readonly principal: Principal;
  readonly requestId: string;
  /** Whether the call comes by a session that hears events as they happen. */
  readonly isStateful: boolean;
  /** Aborts when nobody waits for the result any more. */
  readonly signal: AbortSignal;
  /** Tells the client that the call still runs; never throws. */
  progress(message: string): void;
}

/** A tool as clients find and call it. */
export interface McpTool {
  /** What a list of tools says of it. */
  readonly description: Tool;
  /** What the structured content of its results conforms to. */
  readonly output: z.ZodType;
  /** Neither throws nor rejects: what goes wrong is a result that says so. At once where all is known. */
  call(context: ToolContext, args: unknown): CallToolResult | Promise<CallToolResult>;
}

/** The arguments of a call as the endpoint behind the tool wants them. */
export interface Arguments extends Pick<Parameters<Route['handler']>[0], 'params' | 'query' | 'body'> {
  /** By which the call takes effect once; empty: each time. */
  readonly key: string;
}

/** Runs the endpoint behind a tool. */
export type Run = (context: ToolContext, args: Arguments) => JsonReply | Promise<JsonReply>;

/** What a tool may do, for clients that ask people before they let it. */
export interface ToolHints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  /** Whether a second call with the same arguments changes nothing more. */
  readonly idempotentHint: boolean;
  /** Whether it reaches people outside, or tells what they have said. */
  readonly openWorldHint: boolean;
}

/** A tool as it is declared: an endpoint of the REST API with what an assistant must know of it. */
export interface ToolSpec {
  readonly name: `svc_${string}`;
  /** The operationId of the endpoint. */
  readonly twin: string;
  readonly title: string;
  readonly description: string;
  readonly hints: ToolHints;
  /** Lets a caller make sure, by an `idempotency_key`, that the call takes effect once. */
  readonly takesKey?: true;
  /** Where the tool does something around what its endpoint does. */
  readonly wrap?: (run: Run) => Run;
  /** Where its answer has more than the endpoint's. */
  readonly output?: z.ZodType;
}

const ANYTHING: ToolHints = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: false,
};

/** Looks and changes nothing. */
export const READS: ToolHints = { ...ANYTHING, readOnlyHint: true, idempotentHint: true };
/** The same, of what people outside have said. */
export const READS_PEOPLE: ToolHints = { ...READS, openWorldHint: true };
/** Does something among people outside, each time anew. */
export const ACTS: ToolHints = { ...ANYTHING, openWorldHint: true };
/** Does something among people outside that a second call does not do again. */
export const ACTS_ONCE: ToolHints = { ...ACTS, idempotentHint: true };
/** The same, and it cannot be undone. */
export const ENDS: ToolHints = { ...ACTS_ONCE, destructiveHint: true };
/** Makes something within the gateway, each time anew. */
export const MAKES: ToolHints = ANYTHING;
