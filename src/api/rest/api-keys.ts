import type { z } from 'zod';
import { createKey, type IssuedKey, type KeyDomain, revokeIssuedKey } from '../../accounts/keys/api-keys.ts';
import type { KeyKind } from '../../store/keys/key-tables.ts';
import { listKeys, type ValidKey } from '../../store/keys/keys.ts';
import { reply } from '../http/answer/reply.ts';
import { type Route, resource } from '../http/routing/route.ts';
import { Deleted, deleted } from '../schema/acknowledgements.ts';
import { type ApiKey, CreatedKey, CreateKeyBody, KeyList, KeyParams } from '../schema/api-key.ts';

/** Both kinds of keys have the same three endpoints. */
interface KeyPages {
  readonly kind: KeyKind;
  readonly path: '/api/api-keys' | '/api/settings-keys';
  /** Used in operation ids. */
  readonly noun: 'ApiKey' | 'SettingsKey';
  /** With its article. */
  readonly name: string;
  /** The description of the list. */
  readonly purpose: string;
}

const config = resource('config', 'Keys');

const AGENT_KEYS: KeyPages = {
  kind: 'agent',
  path: '/api/api-keys',
  noun: 'ApiKey',
  name: 'an agent key',
  purpose: 'Agent keys act at runtime. Revoked keys are not listed.',
};
const SETTINGS_KEYS: KeyPages = {
  kind: 'settings',
  path: '/api/settings-keys',
  noun: 'SettingsKey',
  name: 'a settings key',
  purpose: 'Settings keys configure the account. Revoked keys are not listed.',
};

/** Routes for agent keys and settings keys. */
export function apiKeyRoutes(keys: KeyDomain): Route[] {
  return [AGENT_KEYS, SETTINGS_KEYS].flatMap((pages) => [
    list(keys, pages),
    create(keys, pages),
    revoke(keys, pages),
  ]);
}

function list(keys: KeyDomain, { kind, path, noun, purpose }: KeyPages): Route {
  return config.get(path, {
    operationId: `list${noun}s`,
    summary: `List the ${kind} keys`,
    description: purpose,
    responses: { 200: { description: 'The keys, oldest first', schema: KeyList } },
    handler: async ({ principal }) =>
      reply(200, { keys: (await listKeys(keys.store.db, principal.accountId, kind)).map(keyWire) }),
  });
}

function create(keys: KeyDomain, { kind, path, noun, name }: KeyPages): Route {
  return config.post(path, {
    operationId: `create${noun}`,
    summary: `Create ${name}`,
    description:
      kind === 'agent'
        ? 'The key joins the default agent. It is shown only in this answer.'
        : 'The key is shown only in this answer.',
    body: CreateKeyBody,
    responses: { 200: { description: 'The key', schema: CreatedKey } },
    fails: ['email_not_verified', { cap_reached: 'The account has reached its limit of keys' }],
    handler: async ({ principal, body }) =>
      reply(200, createdKeyWire(await createKey(keys, principal, kind, body.name))),
  });
}

function revoke(keys: KeyDomain, { kind, path, noun, name }: KeyPages): Route {
  return config.delete(`${path}/{key_id}`, {
    operationId: `revoke${noun}`,
    summary: `Revoke ${name}`,
    description: 'Takes effect at once: call WebSockets opened with the key are closed with 1008.',
    params: KeyParams,
    responses: { 200: { description: 'Revoked', schema: Deleted } },
    fails: ['key_not_found'],
    handler: ({ principal, params }) => deleted(revokeIssuedKey(keys, principal, kind, params.key_id)),
  });
}

/** The API representation of a key, without its text. */
function keyWire(key: ValidKey): z.output<typeof ApiKey> {
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
