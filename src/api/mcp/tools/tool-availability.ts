import type { Platform } from '../../../base/platform.ts';
import type { Account } from '../../schema/account.ts';
import { DmPlatform } from '../../schema/dm.ts';

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
    ['svc_call_say', sentence(calls, noCalls || noVoice)],
    ['svc_call_stop_speaking', sentence(calls, noCalls || noVoice)],
    ['svc_call_chat', sentence(chats, chats.length === 0 && 'no connected platform has a call chat')],
    ['svc_call_typing', sentence(typing, typing.length === 0 && 'no connected platform has a call chat')],
    ['svc_call_status', recognition === 'ready' ? '' : 'Now: no transcripts, speech recognition is off.'],
    ['svc_dm_chat', dm],
    ['svc_dm_typing', dm],
  ]);
}

/** Platforms that are connected and have all these capabilities. */
function connectedFor(account: Account, wanted: readonly string[]): string[] {
  return Object.entries(account.platforms)
    .filter(([, { status, capabilities }]) => status === 'ok' && isWithin(wanted, capabilities))
    .map(([platform]) => platform);
}

function isWithin(wanted: readonly string[], capabilities: readonly string[]): boolean {
  return wanted.every((capability) => capabilities.includes(capability));
}

function isDmPlatform(platform: string): boolean {
  return DmPlatform.options.includes(platform as Platform & (typeof DmPlatform.options)[number]);
}

function sentence(platforms: readonly string[], obstacle: string | false): string {
  return obstacle === false ? `Now: ${platforms.join(', ')}.` : `Now: unavailable, ${obstacle}.`;
}
