import type { AuthInfo, Implementation, ServerContext } from '@modelcontextprotocol/server';
import { assert } from '../../base/assert.ts';
import type { Principal } from '../auth/principal.ts';
import type { Cancellations } from './cancellations.ts';
import type { RpcId } from './rpc-message.ts';
import type { McpTools } from './tools/mcp-tools.ts';
import type { TranscriptResource } from './transcript-resource.ts';

export const SERVER_INFO: Implementation = {
  name: 'voice-chat-gateway',
  title: 'Voice and Chat Gateway',
  version: '0.1.0',
};

/** The resources that a principal may read. */
export type Transcripts = Pick<TranscriptResource, 'list' | 'templates' | 'read' | 'watch' | 'watchList'>;

/** The server's tools, resources and instructions, the same for every client. */
export interface McpContents {
  readonly tools: McpTools;
  readonly transcripts: Transcripts;
  /** For the client's model. */
  readonly instructions: string;
  readonly cancellations: Cancellations;
}

/** The request or session that an SDK server serves. */
export interface Served {
  /** The owner that may cancel its calls: a session or a credential. */
  readonly owner: string;
  /**
   * How clients are notified of changed resources: not at all, on the session's stream, or by `subscriptions/listen`.
   */
  readonly updates: 'none' | 'session' | 'listen';
  /** The session's subscriptions; null outside sessions. */
  readonly subscriptions: Subscriptions | null;
}

/** The resources that a session subscribed to. */
export interface Subscriptions {
  add(uri: string): void;
  delete(uri: string): void;
}

/** The authenticated caller of a request. */
export interface Caller {
  readonly principal: Principal;
  readonly requestId: string;
  /** Withholds the SDK's answer to a cancelled call. */
  readonly withhold: (id: RpcId) => void;
}

/** Wraps the authenticated caller for the SDK, which passes it on to the handlers. */
export function authInfoOf(
  { principal, requestId }: Pick<Caller, 'principal' | 'requestId'>,
  withhold: Caller['withhold'],
): AuthInfo {
  const caller: Caller = { principal, requestId, withhold };
  return { token: '', clientId: principal.credentialId, scopes: [], extra: { caller } };
}

export function callerOf({ http }: ServerContext): Caller {
  const caller = http?.authInfo?.extra?.caller;
  assert(caller, 'the request has no caller');
  return caller as Caller;
}
