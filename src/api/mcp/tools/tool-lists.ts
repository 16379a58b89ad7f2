import type { Tool } from '@modelcontextprotocol/server';
import { assert } from '../../../base/assert.ts';
import { goOn } from '../../../base/now-or-later.ts';
import { reaches } from '../../../base/scope.ts';
import type { Principal } from '../../auth/principal.ts';
import type { Account } from '../../schema/account.ts';
import { DmPlatform } from '../../schema/dm.ts';
import type { McpTool, ToolContext } from './mcp-tool.ts';

/** Answers `tools/list`: every tool, with its current availability for the caller's account. */
export class ToolLists {
  readonly #plain: readonly Tool[];
  readonly #account: McpTool;
  /** Lists by account. An unchanged account is always the same object. */
  readonly #known = new WeakMap<object, readonly Tool[]>();

  constructor(tools: ReadonlyMap<string, McpTool>) {
    this.#plain = Array.from(tools.values(), ({ description }) => description);
    const account = tools.get('svc_account');
    assert(account, 'the tool svc_account exists');
    this.#account = account;
  }

  of(principal: Principal): readonly Tool[] | Promise<readonly Tool[]> {
    return goOn(this.#account.call(contextOf(principal), {}), ({ structuredContent: account }) =>
      // If the account cannot be read, no tool works, and each call returns the reason.
      account === undefined ? this.#plain : this.#listFor(account as Account, principal),
    );
  }

  #listFor(account: Account, principal: Principal): readonly Tool[] {
    const former = this.#known.get(account);
    if (former !== undefined) return former;
    const availability = availabilityOf(account, reaches(principal, 'agent'));
    const list = this.#plain.map((tool) => {
      const now = availability.get(tool.name) ?? '';
      return now === '' ? tool : { ...tool, description: `${tool.description} ${now}` };
    });
    this.#known.set(account, list);
    return list;
  }
}

function contextOf(principal: Principal): ToolContext {
  const { signal } = new AbortController();
  return { principal, requestId: '', isStateful: false, signal, progress() {} };
}

/**
 * The current availability of tools: one sentence per tool that depends on the account's state. `writesToAgents`:
 * whether the caller may write to other agents of the account.
 */
export function availabilityOf(account: Account, writesToAgents: boolean): ReadonlyMap<string, string> {
  const { hosted_stt: recognition, hosted_tts: speech } = account.features;
  const calls = connectedFor(account, ['audio_in']);
  const chats = connectedFor(account, ['audio_in', 'write']);
  const typing = connectedFor(account, ['audio_in', 'typing']);
  const messages = connectedFor(account, ['read', 'write']).filter(isDmPlatform);
  const noCalls = calls.length === 0 && 'no connected platform has calls';
  const noVoice = speech !== 'ready' && 'no text-to-speech preset is enabled (400)';
  const peers = writesToAgents ? [...messages, 'agent'] : messages;
  const dm = sentence(peers, peers.length === 0 && 'no messaging platform is connected');
  return new Map([
    ['svc_call_join', sentence(calls, noCalls)],
    ['svc_call_accept', sentence(calls, noCalls)],
    ['svc_call_refuse', sentence(calls, noCalls)],
    ['svc_call_say', noCalls || !noVoice ? sentence(calls, noCalls) : `Now: only keys, ${noVoice}.`],
    ['svc_call_stop_speaking', sentence(calls, noCalls || noVoice)],
    ['svc_call_chat', sentence(chats, chats.length === 0 && 'no connected platform has a call chat')],
    ['svc_call_typing', sentence(typing, typing.length === 0 && 'no connected platform has a call chat')],
    ['svc_call_status', recognition === 'ready' ? '' : 'Now: no transcripts, speech recognition is off.'],
    ['svc_dm_chat', dm],
    ['svc_dm_typing', dm],
    ['svc_dm_react', dm],
  ]);
}

/** Platforms that are connected and have all these capabilities. */
function connectedFor(account: Account, wanted: readonly string[]): string[] {
  return Object.entries(account.platforms)
    .filter(
      ([, { status, capabilities }]) =>
        status === 'ok' && wanted.every((each) => capabilities.includes(each)),
    )
    .map(([platform]) => platform);
}

function isDmPlatform(platform: string): boolean {
  return DmPlatform.options.some((each) => each === platform);
}

function sentence(platforms: readonly string[], obstacle: string | false): string {
  return obstacle === false ? `Now: ${platforms.join(', ')}.` : `Now: unavailable, ${obstacle}.`;
}
