import type { MessageIntake, Messenger, SendOutcome } from '../contract/messenger.ts';
import { checkTextLength, codePoints } from '../kit/sending.ts';

/** `ChatManager::MAX_CHAT_LENGTH` of Talk, in characters. */
const MAX_TEXT = 32_000;

/** Direct messages of Nextcloud Talk. */
export class NextcloudTalkMessenger implements Messenger {
  onMessages(_intake: MessageIntake): void {}

  checkText(text: string): void {
    checkTextLength('Nextcloud Talk', codePoints(text), MAX_TEXT);
  }

  async send(): Promise<SendOutcome> {
    return { kind: 'refused', reason: 'The bot is not logged in', isAddressGone: false };
  }
}
