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

/** The resources, to each who asks their own. */
export type Transcripts = Pick<TranscriptResource, 'list' | 'templates' | 'read' | 'watch' | 'watchList'>;

/** What is served: the same for everybody who asks. */
export interface McpContents {
  readonly tools: McpTools;
  readonly transcripts: Transcripts;
  /** What a model is told about all of it. */
  readonly instructions: string;
  readonly cancellations: Cancellations;
}

/** What one server of the SDK serves: a request, or a session. */
export interface Served {
  /** By whom calls are cancelled: a session, or a credential. */
  readonly owner: string;
  /** How clients hear that resources change: not at all, by a stream of the session, by a stream of their own. */
  readonly updates: 'none' | 'session' | 'listen';
  /** The session's subscriptions; null without a session. */
  readonly subscriptions: Subscriptions | null;
}

/** The resources whose changes a session is told. */
export interface Subscriptions {
  add(uri: string): void;
  delete(uri: string): void;
}

/** Who asks, and by which request. */
export interface Asking {
  readonly principal: Principal;
  readonly requestId: string;
  /** Keeps back what the SDK is about to answer to a call: it was cancelled. */
  readonly withhold: (id: RpcId) => void;
}

/** Takes along who asks, on the way through the SDK; it has been let in already. */
export function authInfoOf(
  { principal, requestId }: Pick<Asking, 'principal' | 'requestId'>,
  withhold: Asking['withhold'],
): AuthInfo {
  const asking: Asking = { principal, requestId, withhold };
  return { token: '', clientId: principal.credentialId, scopes: [], extra: { asking } };
}

export function askingOf({ http }: ServerContext): Asking {
  const asking = http?.authInfo?.extra?.asking;
  assert(asking, 'nobody asks');
  return asking as Asking;
}
