import { textAt } from '../../vendor-message.ts';
import type { VendorManners } from '../vendor-manners.ts';

/** https://developers.deepgram.com/docs/errors */
export const DEEPGRAM: VendorManners = {
  title: 'Deepgram',
  headers: (key) => ({ Authorization: `Token ${key}` }),
  /** Older answers have `err_msg`, newer ones `message`; messages have `description`, and `message` is what we had sent. */
  errorIn: (body) => {
    const first = (...names: readonly string[]): string =>
      names.map((name) => textAt(body, name)).find((text) => text !== null) ?? '';
    return {
      code: first('err_code', 'category', 'code', 'variant'),
      words: first('err_msg', 'description', 'message'),
    };
  },
  // After a wrong frame, bad data or too much of it the same would be refused again.
  kinds: [[/^(?:1003|1007|1008|1009) /, 'refused']],
  // The project lacks the model. A wrong key is 401.
  forbidden: 'refused',
  tellsCode: true,
  otherWords: ({ headers: { 'dg-error': words } }) => (typeof words === 'string' ? words : ''),
};
