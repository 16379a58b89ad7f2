import { objectAt, objectsAt, textAt, type VendorMessage } from '../../vendor-message.ts';
import { joined, type VendorError, type VendorManners } from '../vendor-manners.ts';

/** https://elevenlabs.io/docs/eleven-api/resources/errors */
export const ELEVENLABS: VendorManners = {
  title: 'ElevenLabs',
  headers: (key) => ({ 'xi-api-key': key }),
  errorIn: (body) => (body.detail === undefined ? errorOfMessage(body) : errorOfAnswer(body)),
  /**
   * Codes of HTTP errors and of messages, and the words of close frames. They have changed over time, some with an
   * `_error` at the end, so what they contain decides.
   */
  kinds: [
    [/quota|credits|payment/i, 'out_of_funds'],
    [/api.?key|\bauth(?:entication|orization)?_error|unauthori[sz]ed|missing_permissions/i, 'bad_key'],
    [/rate.?limit|concurren|too.?many|busy|max_active|exhausted|overflow|throttled/i, 'rate_limited'],
    [/time.?limit|time.?out/i, 'session_cap'],
    [/invalid|not.?found|unusual.?activity|unaccepted|input_error|chunk_size|exceeded/i, 'refused'],
    // A violation of its policy.
    [/^1008 /, 'refused'],
  ],
  forbidden: 'bad_key',
  tellsCode: true,
};

/** `detail` is an object with a `code` or, in older answers, a `status`; a text; or the list of a failed validation. */
function errorOfAnswer(body: VendorMessage): VendorError {
  const detail = objectsAt(body, 'detail')[0] ?? objectAt(body, 'detail');
  return {
    code: textAt(detail, 'code') ?? textAt(detail, 'status') ?? '',
    words: textAt(body, 'detail') ?? textAt(detail, 'message') ?? textAt(detail, 'msg') ?? '',
  };
}

/** All of it may be a code. */
function errorOfMessage(message: VendorMessage): VendorError {
  const texts = ['message_type', 'error', 'message', 'details'].map((name) => textAt(message, name));
  return { code: joined([...new Set(texts)]), words: '' };
}
