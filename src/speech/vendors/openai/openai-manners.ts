import { objectAt, textAt } from '../../vendor-message.ts';
import type { VendorManners } from '../vendor-manners.ts';

/** How a restricted key is told apart from a wrong one, whose code is `invalid_api_key`. */
const MISSING_SCOPE = /insufficient permissions|missing scopes/i;

/** https://platform.openai.com/docs/guides/error-codes */
export const OPENAI: VendorManners = {
  title: 'OpenAI',
  headers: (key) => ({ Authorization: `Bearer ${key}` }),
  errorIn: (body) => {
    const error = objectAt(body, 'error');
    const code = textAt(error, 'code') ?? textAt(error, 'type') ?? '';
    const words = textAt(error, 'message') ?? '';
    const isScope = code !== 'invalid_api_key' && MISSING_SCOPE.test(words);
    return { code: isScope ? 'missing_scope' : code, words };
  },
  kinds: [[/^(?:insufficient_quota|billing_hard_limit_reached|billing_not_active)$/, 'out_of_funds']],
  forbidden: 'refused',
};
