import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import type { Principal } from '../../auth/principal.ts';
import type { JsonReply } from '../../http/answer/reply.ts';
import type { Route } from '../../http/routing/route.ts';

/** The caller of a tool, and the state of the call. */
export interface ToolContext {
  readonly principal: Principal;
  readonly requestId: string;
  /** Whether the call comes from a session, to which events are pushed. */
  readonly isStateful: boolean;
  /** Aborts when the client cancels or disconnects. */
  readonly signal: AbortSignal;
  /** Reports progress to the client; never throws. */
  progress(message: string): void;
}

/** A tool that clients can call. */
export interface McpTool {
  /** The entry in `tools/list`, without the account's availability. */
  readonly description: Tool;
  /** Schema of the structured content of its results. */
  readonly output: z.ZodType;
  /** Neither throws nor rejects: errors are results. Synchronous if the answer is in memory. */
  call(context: ToolContext, args: unknown): CallToolResult | Promise<CallToolResult>;
}

/** The arguments of a call, split for the endpoint behind the tool. */
export interface Arguments extends Pick<Parameters<Route['handler']>[0], 'params' | 'query' | 'body'> {
  /** The idempotency key; empty: none. */
  readonly key: string;
}

/** Runs the endpoint behind a tool. */
export type Run = (context: ToolContext, args: Arguments) => JsonReply | Promise<JsonReply>;

/** Effects of a tool, for clients that ask users for permission. */
export interface ToolHints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  /** Whether a repeated call with the same arguments has no further effect. */
  readonly idempotentHint: boolean;
  /** Whether the tool reaches outside people or returns their messages. */
  readonly openWorldHint: boolean;
}

/** The declaration of a tool: an endpoint of the REST API, described for models. */
export interface ToolSpec {
  readonly name: `svc_${string}`;
  /** The operationId of the endpoint. */
  readonly twin: string;
  readonly title: string;
  readonly description: string;
  /** Description of each argument, with its default and limit. */
  readonly params: Readonly<Record<string, string>>;
  readonly hints: ToolHints;
  /** Adds the argument `idempotency_key`. */
  readonly takesKey?: true;
  /** For a tool that has none of its endpoint's query parameters: their defaults apply. */
  readonly takesNoQuery?: true;
  /** For a tool that does more than its endpoint. */
  readonly wrap?: (run: Run) => Run;
  /** For a tool that returns more than its endpoint. */
  readonly output?: z.ZodType;
}

const ANYTHING: ToolHints = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: false,
};

/** Changes nothing. */
export const READS: ToolHints = { ...ANYTHING, readOnlyHint: true, idempotentHint: true };
/** Changes nothing; returns messages of outside people. */
export const READS_PEOPLE: ToolHints = { ...READS, openWorldHint: true };
/** Affects outside people, with every call. */
export const ACTS: ToolHints = { ...ANYTHING, openWorldHint: true };
/** Affects outside people; a repeated call has no further effect. */
export const ACTS_ONCE: ToolHints = { ...ACTS, idempotentHint: true };
/** The same, and cannot be undone. */
export const ENDS: ToolHints = { ...ACTS_ONCE, destructiveHint: true };
/** Creates something within the gateway, with every call. */
export const MAKES: ToolHints = ANYTHING;

/** Descriptions of parameters that several tools have. */
export const IDEMPOTENCY_KEY =
  '1 to 255 printable ASCII characters, new for each action. Within 24 h the same key has no second effect. Default: none.';
export const TEXT = '1 to 10000 characters.';
export const ATTACHMENTS =
  'Files, at most 10. Each is {file_id} from svc_file_upload_url, {url, name?, mime?} or {bytes_b64, name, mime}. Default: none.';
