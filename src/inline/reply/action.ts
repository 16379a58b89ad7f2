import type { Platform } from '../../base/platform.ts';

/** Something that a model's reply asks for. */
export type ReplyAction =
  | WriteAction
  /** One sentence to be spoken on the call. */
  | { readonly kind: 'say'; readonly text: string }
  | FileAction
  /** Accepts or refuses the call that rings. */
  | { readonly kind: 'accept' }
  | { readonly kind: 'refuse' }
  /** Hangs up the call of the event. */
  | { readonly kind: 'leave' }
  | { readonly kind: 'dtmf'; readonly digits: string }
  | ReactAction
  | DmAction
  | CallJoinAction;

/** Writes to the conversation or the call of the event. */
export interface WriteAction {
  readonly kind: 'write';
  readonly text: string;
  /** Id of the message that it answers. */
  readonly replyTo?: string;
  /** What people may pick. */
  readonly choices?: readonly string[];
}

/** Reacts to a message of the event's conversation. */
export interface ReactAction {
  readonly kind: 'react';
  readonly messageId: string;
  readonly emoji: string;
}

/** Sends a file to the conversation of the event. */
export interface FileAction {
  readonly kind: 'file';
  /** A file of the gateway, something on the web, or a text that becomes a file. */
  readonly source:
    | { readonly fileId: string }
    | { readonly url: string }
    | { readonly name: string; readonly text: string };
  readonly caption: string;
}

/** Writes to somebody else than the event's conversation. */
export interface DmAction {
  readonly kind: 'dm';
  readonly platform: Platform | 'agent';
  /** A conversation's id, or between agents the recipient's name. */
  readonly to: string;
  /** Null: whichever account fits. */
  readonly accountId: string | null;
  readonly text: string;
}

/** Places a call. */
export interface CallJoinAction {
  readonly kind: 'call_join';
  readonly platform: Platform;
  readonly url: string;
  readonly accountId: string | null;
}

/** An action of a reply with its place, counted from 0. Each sentence of a `<say>` has one of its own. */
export interface PlacedAction {
  readonly index: number;
  readonly action: ReplyAction;
}

/** A tag that was not carried out, for the log of the delivery and for the model's next turn. */
export interface ReplyFault {
  readonly tag: string;
  readonly problem: string;
}
