import type { Tables } from '../../../src/store/database/tables.ts';
import type { Store } from '../../../src/store/store.ts';
import { NOW, seedAccount } from '../store/temporary.ts';

/** The value of every secret column of a full account, so that a test can look for it. */
export const SEALED = 'SEALED-OR-HASHED';

/** An account with a row in every table that can have rows of an account; every row contains `name`. */
export async function fullAccount(
  store: Store,
  name: string,
): Promise<{ accountId: string; agentId: string }> {
  const owner = await seedAccount(store, name);
  const { db } = store;
  const person = { email: `${name}@example.com`, emailVerifiedAt: NOW, passwordHash: `${SEALED} ${name}` };
  await db.updateTable('accounts').set(person).where('id', '=', owner.accountId).execute();
  await fillAccount(store, name, owner);
  return owner;
}

/** Tables that others refer to. */
const NEEDED: readonly (keyof Tables)[] = ['apiKeys', 'oauthClients'];

/** A row in every table, or in `tables`, for an existing account. */
export async function fillAccount(
  { db }: Store,
  name: string,
  owner: { readonly accountId: string; readonly agentId: string },
  tables?: readonly (keyof Tables)[],
): Promise<void> {
  for (const [table, row] of rowsOf(name, owner)) {
    if (tables && !tables.includes(table) && !NEEDED.includes(table)) continue;
    await db
      .insertInto(table)
      .values(row as never)
      .execute();
  }
}

/** A number of its own for each account. */
function numberOf(name: string): number {
  return Buffer.from(name.padEnd(4)).readUInt32BE();
}

type Row = Readonly<Record<string, unknown>>;

function rowsOf(name: string, owner: { accountId: string; agentId: string }): [keyof Tables, Row][] {
  const { accountId, agentId } = owner;
  const own = { id: `row_${name}`, accountId, createdAt: NOW };
  const secret = `${SEALED} ${name}`;
  const expiring = { accountId, createdAt: NOW, expiresAt: NOW };
  const key = {
    ...own,
    id: `key_${name}`,
    kind: 'agent',
    hash: secret,
    keyPrefix: 'svc_12345678',
    name: 'k',
  };
  return [
    [
      'sessions',
      { ...own, ...expiring, tokenHash: secret, userAgent: 'x', address: '127.0.0.1', lastUsedAt: NOW },
    ],
    ['earlyEdits', { id: own.id, accountId, text: 'edited', expiresAt: NOW }],
    [
      'heldMessages',
      {
        id: own.id,
        accountId,
        platform: 'telegram',
        place: `["telegram","${name}"]`,
        inbound: '{"text":"held"}',
      },
    ],
    ['knownBrowsers', { accountId, tokenHash: secret, createdAt: NOW, lastUsedAt: NOW }],
    ['mailTokens', { ...expiring, tokenHash: secret, purpose: 'verify', email: `${name}@example.com` }],
    ['identities', { ...own, provider: 'google', subject: name, email: null, lastUsedAt: NOW }],
    ['signIns', { ...expiring, stateHash: secret, provider: 'google', sealedSecrets: secret }],
    ['apiKeys', key],
    ['agentKeys', { agentId, keyId: key.id }],
    ['internalBearers', { agentId, keyId: key.id, sealedKey: secret }],
    [
      'connections',
      {
        ...own,
        provider: 'teams',
        email: null,
        label: 'l',
        status: 'ok',
        providerUserId: name,
        loginKey: 'shared',
        remoteId: name,
        scopes: 'read write',
        expiresAt: NOW,
        sealedCredentials: secret,
        updatedAt: NOW,
      },
    ],
    [
      'connectionStates',
      {
        ...expiring,
        stateHash: secret,
        email: null,
        credentialKind: 'session',
        credentialId: own.id,
        provider: 'teams',
        connectionId: own.id,
        returnTo: null,
        sealedVerifier: secret,
        server: null,
      },
    ],
    ['agentAccounts', { agentId, memberType: 'connection', memberId: own.id }],
    [
      'botTokens',
      { ...own, platform: 'slack', status: 'registered', sealedToken: secret, sealedSigningSecret: secret },
    ],
    [
      'platformRecords',
      { loginKey: own.id, platform: 'slack', kind: 'identity', key: '', value: `{"teamId":"T-${name}"}` },
    ],
    [
      'platformRecords',
      { loginKey: 'shared', platform: 'teams', kind: 'space', key: `direct ${name}`, value: '{}' },
    ],
    ['agentBudgets', { agentId, limits: '{"turns_per_hour":1}' }],
    [
      'agentProviders',
      {
        agentId,
        provider: 'openai',
        config: '{"model":"m"}',
        sealedSecrets: secret,
        eventFilter: '[]',
        updatedAt: NOW,
      },
    ],
    [
      'agentPolicies',
      { agentId, callsTo: '["+44*"]', newConversations: 0, actionsPerTurn: 5, updatedAt: NOW },
    ],
    [
      'deliveries',
      {
        ...own,
        id: `dlv_${name}`,
        agentId,
        eventType: 'dm_chat',
        lane: 'test',
        status: 'queued',
        payload: '{"a":1}',
        updatedAt: NOW,
      },
    ],
    [
      'deliveryActions',
      {
        deliveryId: `dlv_${name}`,
        position: 0,
        accountId,
        kind: 'write',
        detail: '{"kind":"write"}',
        status: 'planned',
        createdAt: NOW,
        updatedAt: NOW,
      },
    ],
    [
      'modelConversations',
      {
        id: numberOf(name),
        accountId,
        agentId,
        lane: 'test',
        configHash: '',
        memory: '{"a":"1"}',
        createdAt: NOW,
        updatedAt: NOW,
      },
    ],
    [
      'modelTurns',
      { accountId, conversationId: numberOf(name), role: 'user', text: 'Hello', createdAt: NOW },
    ],
    ...authorizationOf(name, owner, secret),
    ['budgetUses', { accountId, agentId, period: '2026-01-02', turns: 1, tokens: 2, callMs: 3 }],
    ['usageDays', { accountId, platform: 'sip', day: '2026-01-02', messages: 1, bytes: 2 }],
    ['inviteLinks', { ...expiring, tokenHash: secret }],
    ['feedback', { ...own, message: 'well done' }],
    [
      'auditLog',
      {
        accountId,
        credentialKind: 'none',
        credentialId: '',
        action: 'a.b',
        detail: '{"c":[1]}',
        createdAt: NOW,
      },
    ],
    [
      'calls',
      {
        accountId,
        agentId,
        callId: `call_${name}`,
        roomId: 'room_1',
        participantId: 'part_1',
        platform: 'sip',
        meetingUrl: 'sip:+1',
        agentName: 'AI Agent',
        direction: 'outbound',
        caller: '',
        sampleRateHz: 8000,
        state: 'ended',
        createdAt: NOW,
        endedAt: NOW,
      },
    ],
    [
      'sipTrunks',
      {
        accountId,
        host: 'sip.example.com',
        port: 5060,
        transport: 'udp',
        username: '1001',
        sealedPassword: secret,
        sealedInboundToken: secret,
        register: 0,
        srtp: 'off',
        createdAt: NOW,
        updatedAt: NOW,
      },
    ],
    ['sipDids', { ...own, number: `+33 of ${name}`, autoAnswer: 0 }],
    [
      'voiceConfigs',
      {
        ...own,
        kind: 'tts',
        provider: 'openai',
        name: 'n',
        options: '{"voice":"alloy"}',
        sealedKey: secret,
        enabled: 1,
        keyStatus: 'valid',
        checkedAt: NOW,
        updatedAt: NOW,
      },
    ],
    ...messagesOf(name, accountId, secret),
    [
      'transcriptLines',
      { callId: `call_${name}`, accountId, position: 0, speaker: 'Ada', text: `Hi ${name}`, createdAt: NOW },
    ],
    [
      'callTurns',
      { callId: `call_${name}`, accountId, position: 0, metrics: '{"total_ms":1}', createdAt: NOW },
    ],
    ['liveMessages', { key: own.id, conversationId: own.id }],
    ['botOwners', { accountId, botId: own.id, conversationId: own.id, createdAt: NOW }],
    ['ownerCodes', { ...expiring, botId: own.id, codeHash: secret }],
    ['events', { accountId, agentId, type: 'call_state', payload: '{"state":"ended"}', createdAt: NOW }],
  ];
}

/** An authorized MCP client with a token. */
function authorizationOf(
  name: string,
  { accountId, agentId }: { accountId: string; agentId: string },
  secret: string,
): [keyof Tables, Row][] {
  const own = { id: `row_${name}`, accountId, createdAt: NOW };
  const client = {
    clientId: `cli_${name}`,
    clientName: 'c',
    redirectUris: '[]',
    authMethod: 'none',
    registeredAt: NOW,
  };
  const redirectUri = 'https://client.example/';
  return [
    ['oauthClients', client],
    ['mcpAuthorizations', { ...own, clientId: client.clientId, redirectUri, platforms: '["sip"]' }],
    ['agentAuthorizations', { agentId, authorizationId: own.id }],
    [
      'oauthGrants',
      {
        ...own,
        authorizationId: own.id,
        redirectUri,
        codeHash: secret,
        codeChallenge: 'c',
        resource: 'r',
        codeExpiresAt: NOW,
      },
    ],
    [
      'oauthTokens',
      { accountId, grantId: own.id, kind: 'access', tokenHash: secret, createdAt: NOW, expiresAt: NOW },
    ],
  ];
}

/** A conversation with one message that has a file. */
function messagesOf(name: string, accountId: string, secret: string): [keyof Tables, Row][] {
  const own = { id: `row_${name}`, accountId, createdAt: NOW };
  // Derived from `name`, because the rows that belong to it need it.
  const seq = numberOf(name);
  return [
    [
      'conversations',
      {
        ...own,
        platform: 'slack',
        memberType: 'bot_token',
        memberId: own.id,
        remoteId: name,
        status: 'active',
      },
    ],
    [
      'messages',
      {
        ...own,
        seq,
        conversationId: own.id,
        direction: 'inbound',
        text: 'Hello',
        status: 'received',
        changedAt: NOW,
      },
    ],
    ['platformMessages', { platformMessageId: `of ${name}`, conversationId: own.id, messageSeq: seq }],
    [
      'files',
      {
        ...own,
        origin: 'upload',
        name: 'a.png',
        mime: 'image/png',
        tokenHash: secret,
        sealedToken: secret,
        state: 'stored',
        expiresAt: NOW,
      },
    ],
    ['attachments', { messageSeq: seq, position: 0, fileId: own.id }],
    [
      'platformRecords',
      {
        loginKey: 'shared',
        platform: 'teams',
        kind: 'offer',
        key: `of ${name}`,
        value: '{}',
        messageId: own.id,
      },
    ],
    [
      'idempotentRequests',
      {
        accountId,
        credentialId: name,
        key: name,
        sealedRequest: secret,
        sealedAnswer: secret,
        createdAt: NOW,
      },
    ],
  ];
}

/** The gateway's own tables; all others contain data of accounts. */
const NOBODYS = ['facts', 'forgotten_at_providers', 'migrations', 'oauth_clients'];

/** Every row of every table that can have rows of an account, as stored in the database file. */
export async function everyRow(store: Store): Promise<Map<string, Row[]>> {
  const plain = store.db.withoutPlugins();
  const tables = (await plain.introspection.getTables()).map((table) => table.name);
  const rows = new Map<string, Row[]>();
  for (const table of tables.filter((each) => !NOBODYS.includes(each))) {
    const all = plain.selectFrom(table as 'accounts').selectAll();
    rows.set(table, (await all.execute()) as unknown as Row[]);
  }
  return rows;
}

/** The tables that have a row with this account’s name. */
export function tablesNaming(rows: ReadonlyMap<string, readonly Row[]>, name: string): string[] {
  return [...rows].flatMap(([table, own]) =>
    own.some((row) => JSON.stringify(row).includes(name)) ? [table] : [],
  );
}
