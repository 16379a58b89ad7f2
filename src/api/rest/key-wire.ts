import type { z } from 'zod';
import type { IssuedKey } from '../../accounts/keys/api-keys.ts';
import type { ValidKey } from '../../store/keys/keys.ts';
import type { ApiKey, CreatedKey } from '../schema/api-key.ts';

/** The API representation of a key, without its text. */
export function keyWire(key: ValidKey): z.output<typeof ApiKey> {
  return {
    id: key.id,
    key_prefix: key.keyPrefix,
    name: key.name,
    created_at: key.createdAt,
    last_used_at: key.lastUsedAt,
    agent_ids: [...key.agentIds],
  };
}

/** A new key with its text, which is shown only in this answer. */
export function createdKeyWire(issued: IssuedKey): z.output<typeof CreatedKey> {
  return { ...keyWire(issued), key: issued.key };
}
