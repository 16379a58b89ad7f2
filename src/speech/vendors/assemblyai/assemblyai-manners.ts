import { numberAt, textAt } from '../../vendor-message.ts';
import type { VendorManners } from '../vendor-manners.ts';

/** https://www.assemblyai.com/docs/streaming/common-session-errors-and-closures */
export const ASSEMBLYAI: VendorManners = {
  title: 'AssemblyAI',
  // The key alone: with a scheme, all of it would count as the key.
  headers: (key) => ({ Authorization: key }),
  /** A wrong key is reported by a message, after the connection has been accepted, which is then closed with its code. */
  errorIn: (body) => {
    const [code, words] = [numberAt(body, 'error_code'), textAt(body, 'error') ?? ''];
    if (code === null) return { code: '', words };
    return { code: `${code} ${words}`, words: words || `AssemblyAI reported error ${code}` };
  },
  kinds: [
    // 1008 and 3005 also stand for other faults, which only their words tell.
    [/^(?:1008|3005) .*(?:balance|funds|credit|billing|top up)/is, 'out_of_funds'],
    [/^(?:1008|3005) .*(?:concurrent|too many|rate limit)/is, 'rate_limited'],
    [/^(?:1008|3005) .*session expired/is, 'session_cap'],
    // Those from 4000 on are older.
    [/^(?:1008|4001) /, 'bad_key'],
    [/^(?:3006|4000|4101) /, 'refused'],
    [/^(?:3008|4008|4031) /, 'session_cap'],
    [/^(?:3009|4029|4102) /, 'rate_limited'],
    [/^(?:4002|4003) /, 'out_of_funds'],
  ],
  forbidden: 'bad_key',
};
