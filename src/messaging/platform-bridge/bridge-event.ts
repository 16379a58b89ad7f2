import type { Address } from '../../base/address.ts';
import type { Platform } from '../../base/platform.ts';
import type { InboundMessage, InboundReaction } from '../../connectors/contract/messenger.ts';

/** Something that happened on a platform, as the bridge tells it. */
export type BridgeEvent = MessageEvent | CallInvite | CallEnded;

type MessageEvent =
  | (At & {
      readonly type: 'dm';
      readonly message: Omit<InboundMessage, 'from' | 'alias'>;
    })
  | (At & { readonly type: 'edit'; readonly messageId: string; readonly text: string })
  | (At & { readonly type: 'delete'; readonly messageId: string })
  | (At & { readonly type: 'reaction'; readonly reaction: InboundReaction })
  | (At & { readonly type: 'reachability'; readonly isReachable: boolean })
  | (At & { readonly type: 'link'; readonly name: string | null; readonly token: string });

interface At {
  readonly platform: Platform;
  readonly from: Address;
}

/** A call rings. Its account is that of `from`. */
export interface CallInvite extends At {
  readonly type: 'call_invite';
  readonly callRef: string;
  readonly caller: string;
  readonly target: string;
}

export interface CallEnded {
  readonly type: 'call_ended';
  readonly platform: Platform;
  readonly callRef: string;
  readonly reason: string;
}

/**
 * What became of an event. `done`: it was applied, as far as the gateway knows the message, person or call. `duplicate`:
 * it was told before. `unknown_account`: no account has this login or person. `unknown_token`, `unknown_call`: the token
 * or call is unknown, or no longer valid. `busy`: the account has no room for the call. `account_full`: it has none for
 * a message. `flooded`: a message is not stored, because its chat or account gets more than people write. `not_served`: the
 * gateway does not serve this on the platform; `reason` says what is missing.
 */
export type EventResult =
  | { readonly status: Exclude<EventStatus, 'not_served'> }
  | { readonly status: 'not_served'; readonly reason: string };

export const EVENT_STATUSES = [
  'stored',
  'duplicate',
  'done',
  'ringing',
  'busy',
  'account_full',
  'flooded',
  'unknown_account',
  'unknown_token',
  'unknown_call',
  'not_served',
] as const;

export type EventStatus = (typeof EVENT_STATUSES)[number];
