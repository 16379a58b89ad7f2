import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { handOverConnections } from '../../../../src/accounts/connections/connections.ts';
import { openTokens } from '../../../../src/store/logins/login-connections.ts';
import { openStore } from '../../../../src/store/store.ts';
import { answersJson } from '../../../support/oauth-platform.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { ConnectionsServer } from '../../api/connections-server.ts';
import { temporaryDir, temporaryStore } from '../../store/temporary.ts';
import { connectionsOf } from '../test-connections.ts';

/** Use `TOKEN_KILLS=100` for more. */
const KILLS = Number(process.env.TOKEN_KILLS ?? 3);
const LEAST_REFRESHES = 5;
const LATEST_KILL_MS = 30;

function start(dataDir: string, mode: string, server: ConnectionsServer, ...args: string[]): ChildProcess {
  const path = fileURLToPath(new URL('./killed-process.ts', import.meta.url));
  const client = JSON.stringify(server.platform.client);
  const child = spawn(process.execPath, [path, dataDir, mode, server.url, client, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

it('kill -9 between the exchange and the store leaves neither a connection nor a state', async () => {
  const dataDir = temporaryDir();
  const store = await temporaryStore(dataDir);
  const server = await ConnectionsServer.start(store);
  const { searchParams } = await server.comeBack(server.browser('ann'), await server.start('ann'));
  await store.close();
  const child = start(dataDir, 'connect', server, searchParams.get('state')!, searchParams.get('code')!);
  const [line] = await once(createInterface({ input: child.stdout! }), 'line');
  expect([line, server.platform.tokenRequests]).toEqual(['identifying', 1]);
  child.kill('SIGKILL');
  await once(child, 'exit');
  const after = await openStore({ dataDir, masterKey: null });
  onTestFinished(() => after.close());
  expect(await after.db.selectFrom('connections').selectAll().execute()).toEqual([]);
  expect(await after.db.selectFrom('connectionStates').selectAll().execute()).toEqual([]);
});

it('kill -9 while tokens are refreshed: no token was used that is not stored', async () => {
  const dataDir = temporaryDir();
  let store = await temporaryStore(dataDir);
  const server = await ConnectionsServer.start(store);
  const id = await server.connect('ann');
  for (let i = 0; i < KILLS; i++) {
    await store.close();
    const used = await refreshUntilKilled(start(dataDir, 'refresh', server, id));
    store = await openStore({ dataDir, masterKey: null });
    const row = await store.db.selectFrom('connections').selectAll().executeTakeFirstOrThrow();
    const tokens = openTokens(store.secrets, row);
    // Another one was stored and not used yet, at most.
    const isNewer = !used.includes(tokens!.accessToken);
    expect([row.status, isNewer || tokens!.accessToken === used.at(-1)]).toEqual(['ok', true]);
    expect((await server.platform.userinfo(tokens!.accessToken)).status).toBe(200);
    if (!(await canRefresh(store, server))) break;
  }
  await store.close();
});

/** A connection whose process was killed after the platform had replaced its tokens, and before they were stored. */
async function killedBetween() {
  const dataDir = temporaryDir();
  const store = await temporaryStore(dataDir);
  const server = await ConnectionsServer.start(store);
  const id = await server.connect('ann');
  const [row] = await server.rows();
  const { refreshToken } = openTokens(store.secrets, row!)!;
  await store.db.updateTable('connections').set({ expiresAt: '2001-01-01T00:00:00.000Z' }).execute();
  await store.close();
  const asked = Promise.withResolvers<void>();
  server.platform.will(() => asked.resolve());
  const child = start(dataDir, 'refresh', server, id);
  await asked.promise;
  const { tokenEndpoint, clientId, clientSecret } = server.platform.client!;
  const form = { grant_type: 'refresh_token', refresh_token: refreshToken!, client_id: clientId };
  const answer = await fetch(tokenEndpoint, {
    method: 'POST',
    body: new URLSearchParams({ ...form, client_secret: clientSecret }),
  });
  expect(answer.status).toBe(200);
  child.kill('SIGKILL');
  await once(child, 'exit');
  const after = await openStore({ dataDir, masterKey: null });
  onTestFinished(() => after.close());
  const { connectors, clock } = server.domain.connections;
  const restarted = () => handOverConnections(connectionsOf(after, { connectors, clock }));
  const stored = async () => {
    const found = await after.db.selectFrom('connections').selectAll().executeTakeFirstOrThrow();
    return { status: found.status, tokens: openTokens(after.secrets, found) };
  };
  return { platform: server.platform, restarted, stored };
}

it('kill -9 between the answer and the store: the next start says that the connection has to be renewed', async () => {
  const { platform, restarted, stored } = await killedBetween();
  const before = platform.tokenRequests;
  await restarted();
  await waitFor('the connection to be lost', async () => (await stored()).tokens === null);
  expect((await stored()).status).toMatch(
    /^The platform's answer with new tokens was lost; connect again \(invalid_grant/,
  );
  await restarted();
  expect(platform.tokenRequests - before).toBe(1);
});

it('kill -9 between the answer and the store: the next start tries the former refresh token at once', async () => {
  const { platform, restarted, stored } = await killedBetween();
  platform.will(answersJson(200, { access_token: 'recovered', refresh_token: 'next', token_type: 'bearer' }));
  await restarted();
  await waitFor('the new tokens', async () => (await stored()).tokens?.accessToken === 'recovered');
  expect(await stored()).toEqual({
    status: 'ok',
    tokens: { accessToken: 'recovered', refreshToken: 'next' },
  });
});

/** Returns the tokens that were used. */
async function refreshUntilKilled(child: ChildProcess): Promise<string[]> {
  const used: string[] = [];
  const exited = once(child, 'exit');
  for await (const line of createInterface({ input: child.stdout! })) {
    used.push(line);
    if (used.length === LEAST_REFRESHES)
      void wait(Math.random() * LATEST_KILL_MS).then(() => child.kill('SIGKILL'));
  }
  await exited;
  expect([child.signalCode, used.length >= LEAST_REFRESHES]).toEqual(['SIGKILL', true]);
  return used;
}

/** False: the process was killed after the platform had answered, so the connection has to be renewed. */
async function canRefresh(
  store: Awaited<ReturnType<typeof openStore>>,
  server: ConnectionsServer,
): Promise<boolean> {
  const { connectors, clock } = server.domain.connections;
  const [connection] = await store.db.selectFrom('connections').select(['id', 'expiresAt']).execute();
  await store.db.updateTable('connections').set({ expiresAt: '2001-01-01T00:00:00.000Z' }).execute();
  connectionsOf(store, { connectors, clock });
  const code = await server.platform.tokens!.accessToken(connection!.id).then(
    () => 'refreshed',
    (error: { readonly code: string }) => error.code,
  );
  expect(['refreshed', 'connection_lost']).toContain(code);
  return code === 'refreshed';
}
