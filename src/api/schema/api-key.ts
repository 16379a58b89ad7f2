import * as z from 'zod';
import { Name, named } from './fields.ts';

export const KeyParams = z.object({ key_id: z.string().describe('Identifier of the key') });

export const CreateKeyBody = named('CreateApiKey', { name: Name });

/** A key without its text. */
export const ApiKey = named('ApiKey', {
  id: z.string(),
  key_prefix: z.string().describe('The first characters of the key'),
  name: z.string(),
  created_at: z.string(),
  last_used_at: z.string().nullable().describe('Written at most once a minute'),
  agent_ids: z.array(z.string()).describe('Agents that the key acts for; empty for a settings key'),
});

export const CreatedKey = ApiKey.extend({
  key: z.string().describe('The key. Shown only in this answer'),
}).meta({ id: 'CreatedApiKey' });

export const KeyList = named('ApiKeyList', { keys: z.array(ApiKey) });
