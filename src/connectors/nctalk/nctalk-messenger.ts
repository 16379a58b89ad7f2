import { type Address, keyOfLogin, type LoginRef } from '../../base/address.ts';
import { GatewayError } from '../../base/errors.ts';
import type { ShowsWriting } from '../contract/live-message.ts';
import type {
  FetchesFiles,
  Messenger,
  OutboundMessage,
  OutboundReaction,
  ReactionOutcome,
  SendOutcome,
  ShowsReactions,
  ShowsTyping,
} from '../contract/messenger.ts';
import { reactionOutcome } from '../kit/reactions.ts';
import { checkTextLength, codePoints } from '../kit/sending.ts';
import type { TalkLogin } from './login/connected-nextclouds.ts';
import { EDIT_PACE } from './messages/live-edits.ts';
import { TALK_REMEDIES } from './messages/outbound.ts';
import { toTalk } from './messages/talk-markdown.ts';
import { TYPING_REPEAT_MS } from './typing/typing-message.ts';

/** A message that is edited while it is written, where Talk can edit. Talk bots cannot. */
function showsEdits(loginOf: (to: Address) => TalkLogin | undefined): ShowsWriting {
  const botOf = (to: Address) => {
    const login = loginOf(to);
    return login?.kind === 'bot' && login.showsWriting ? login : undefined;
  };
  return {
    kind: 'message',
    pace: EDIT_PACE,
    shows: (to) => botOf(to) !== undefined,
    show: async (message, signal) => (await botOf(message.to)?.show(message, signal)) ?? { kind: 'refused' },
    remove: async (to, shownId, signal) => await botOf(to)?.remove(to, shownId, signal),
  };
}

/** `ChatManager::MAX_CHAT_LENGTH` of Talk, in characters. */
const MAX_TEXT = 32_000;
/** For so long, a message that may have arrived is looked for in the last thousand of its conversation. */
const LOOKED_FOR_MS = 600_000;

/** Direct messages of Nextcloud Talk, and those of conversations in which the owner has activated the bot. */
export class NextcloudTalkMessenger implements Messenger, FetchesFiles, ShowsTyping, ShowsReactions {
  readonly files: FetchesFiles = this;
  readonly typing: ShowsTyping = this;
  readonly reactions: ShowsReactions = this;
  readonly live: ShowsWriting;
  readonly quotes = true;
  readonly typingRepeatMs = TYPING_REPEAT_MS;
  readonly remedies = TALK_REMEDIES;
  readonly maxText = MAX_TEXT;
  readonly dropsDuplicatesForMs = LOOKED_FOR_MS;
  readonly onMessages: Messenger['onMessages'];
  readonly #loginOf: (key: string) => TalkLogin | undefined;

  constructor(loginOf: (key: string) => TalkLogin | undefined, onMessages: Messenger['onMessages']) {
    this.#loginOf = loginOf;
    this.onMessages = onMessages;
    this.live = showsEdits((to) => loginOf(keyOfLogin(to.login)));
  }

  checkText(text: string): void {
    checkTextLength('Nextcloud Talk', codePoints(toTalk(text)), MAX_TEXT);
  }

  async send(message: OutboundMessage, signal: AbortSignal): Promise<SendOutcome> {
    const login = this.#loginOf(keyOfLogin(message.to.login));
    if (login) return await login.send({ ...message, text: toTalk(message.text) }, signal);
    return { kind: 'refused', reason: 'The bot is not logged in', isAddressGone: false };
  }

  async react(to: Address, reaction: OutboundReaction, signal: AbortSignal): Promise<ReactionOutcome> {
    const login = this.#loginOf(keyOfLogin(to.login));
    if (!login) return { kind: 'failed', reason: 'The bot is not logged in' };
    return await reactionOutcome('Nextcloud', login.react(to, reaction, signal));
  }

  async showTyping(to: Address): Promise<void> {
    const login = this.#loginOf(keyOfLogin(to.login));
    if (login?.kind === 'bot') login.showTyping(to);
  }

  /** A file's reference is its path among the bot's files. */
  async fetchFile(ref: LoginRef, path: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    const login = this.#loginOf(keyOfLogin(ref));
    if (login?.kind !== 'bot') throw new GatewayError('file_gone');
    return await login.api.openFile(path, signal);
  }
}
