/** An invite token is 24 bytes in base64url; people may write around it. */
const TOKEN = /(?<![\w-])[\w-]{32}(?![\w-])/g;
/** What looks like a token is looked up in the database. */
const MOST_TOKENS = 3;
const GREETING = 'Hello!';

/** What somebody is told who writes to the number and is nobody's contact. */
export const STRANGER_TEXT =
  'This number passes messages on to AI agents. To write to one, open an invite link from its owner: a link is valid for 15 minutes and for one use.';

/** Opens a chat with the number (digits only), the token in the message that is there to be sent. */
export function inviteLink(numberDigits: string, token: string): string {
  return `https://wa.me/${numberDigits}?text=${encodeURIComponent(`${GREETING} (${token})`)}`;
}

/** Whatever in a text may be a token, in its order. */
export function tokensIn(text: string): string[] {
  return [...new Set(text.match(TOKEN))].slice(0, MOST_TOKENS);
}

/** A text without the token that was in it, and its brackets. */
export function withoutToken(text: string, token: string): string {
  const rest = text.replace(`(${token})`, '').replace(token, '').trim();
  return rest || GREETING;
}
