import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchChromium } from '../support/chromium.ts';
import { DashboardVisit } from '../support/dashboard.ts';
import { Gateway } from '../support/gateway.ts';
import { HOSTILE_TEXTS } from '../support/hostile-texts.ts';
import { requirePeer } from '../support/require-peer.ts';

const NOW = new Date().toISOString();
const LATER = new Date(Date.parse(NOW) + 1_000).toISOString();
const QUIET_CONVERSATIONS = 10_000;

describe.skipIf(requirePeer('chromium'))('what others write, on the dashboard', () => {
  let gateway: Gateway;
  let browser: Browser;
  let visit: DashboardVisit;

  beforeAll(async () => {
    [gateway, browser] = await Promise.all([Gateway.start(), launchChromium()]);
    visit = await DashboardVisit.first(gateway, browser);
    const { agents } = await visit.request('GET', '/api/agents');
    const other = await visit.request('POST', '/api/agents', { name: HOSTILE_TEXTS[0] });
    for (const name of HOSTILE_TEXTS.slice(0, 20))
      await visit.request('POST', '/api/api-keys', { name: name.slice(0, 80) });
    await gateway.restart(() => write(agents[0].id, other.id));
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.stop();
  });

  /** As if agents and callers had written it: the dashboard must trust nothing that it reads. */
  function write(agentId: string, otherId: string): void {
    const db = new SqliteDatabase(join(gateway.dataFolder, 'gateway.db'));
    const { accountId } = db
      .prepare('select account_id as accountId from agents where id = ?')
      .get(agentId) as {
      accountId: string;
    };
    const insert = (table: string, row: Record<string, unknown>): number => {
      const columns = Object.keys(row);
      const text = `insert into ${table} (${columns}) values (${columns.map((name) => `@${name}`)})`;
      return Number(db.prepare(text).run(row).lastInsertRowid);
    };
    const react = (id: string, text: string, at: number): void => {
      const person = { id: text, name: text };
      const about = { conversation_id: id, message_id: `msg_${id}`, platform: 'agent' };
      insert('events', {
        account_id: accountId,
        agent_id: agentId,
        type: 'dm_reaction',
        payload: JSON.stringify({ ...about, emoji: text, action: 'added', person }),
        created_at: LATER,
        platform: 'agent',
        cursor_time: new Date(Date.parse(LATER) + at).toISOString(),
      });
    };
    const converse = (id: string, text: string): void => {
      insert('conversations', {
        id,
        account_id: accountId,
        platform: 'agent',
        agent_id: agentId,
        peer_agent_id: otherId,
        task: `${id} ${text}`,
        remote_id: text,
        remote_name: text,
        status: 'active',
        created_at: NOW,
      });
      const seq = insert('messages', {
        id: `msg_${id}`,
        account_id: accountId,
        conversation_id: id,
        direction: 'inbound',
        text,
        status: 'received',
        created_at: NOW,
        changed_at: NOW,
        sender_id: text,
        sender_name: text,
        reply_to: JSON.stringify({ messageId: null, author: text, text, fileIds: [] }),
        choices: JSON.stringify([text]),
        choice: text,
      });
      react(id, text, seq);
      db.prepare('update conversations set last_seq = ? where id = ?').run(seq, id);
    };
    db.transaction(() => {
      for (let i = 0; i < QUIET_CONVERSATIONS; i++) converse(`con_quiet_${i}`, `Hello ${i}`);
      for (const [at, text] of HOSTILE_TEXTS.entries()) {
        converse(`con_${at}`, text);
        const client = { client_id: `client_${at}`, client_name: text };
        insert('oauth_clients', { ...client, redirect_uris: '[]', auth_method: 'none', registered_at: NOW });
        insert('mcp_authorizations', {
          id: `auth_${at}`,
          account_id: accountId,
          client_id: client.client_id,
          redirect_uri: 'https://client.example/',
          created_at: NOW,
        });
        insert('feedback', {
          id: `fb_${at}`,
          account_id: accountId,
          message: text,
          provider: text,
          error_detail: text,
          suggestion_shown: text,
          created_at: NOW,
        });
        const call = {
          call_id: `call_${at}`,
          account_id: accountId,
          agent_id: agentId,
          room_id: 'room_1',
          participant_id: 'part_1',
          platform: 'sip',
          meeting_url: text,
          agent_name: text,
          direction: 'inbound',
          caller: text,
          state: 'ended',
          created_at: NOW,
          ended_at: NOW,
          termination_result: 'completed',
          termination_reason: text,
        };
        insert('calls', call);
        const line = {
          call_id: `call_${at}`,
          position: 0,
          account_id: accountId,
          speaker: text,
          text,
          created_at: NOW,
        };
        insert('transcript_lines', line);
      }
    })();
    db.close();
  }

  async function expectHarmless(): Promise<void> {
    expect(await visit.page.evaluate('window.pwned')).toBeUndefined();
    expect(visit.complaints).toEqual([]);
    // Nothing of it has become an element.
    expect(
      await visit.page.locator('main :is(script, iframe, object, embed, img, svg:not(.icon), base)').count(),
    ).toBe(0);
  }

  it('is text in every list', async () => {
    for (const path of ['', '/calls', '/inbox', '/agents', '/keys', '/account', '/operator']) {
      await visit.open(path);
      await visit.page.getByText('<script>window.pwned=1</script>').first().waitFor();
      await expectHarmless();
    }
  });

  it('is text in each conversation and in each call', async () => {
    for (const [at, text] of HOSTILE_TEXTS.entries()) {
      for (const path of [`/inbox/con_${at}`, `/calls/call_${at}`]) {
        await visit.open(path);
        await visit.page.locator('main').getByText(text, { exact: true }).first().waitFor();
        await expectHarmless();
      }
    }
  });

  it('is found among 10,000 conversations at once', async () => {
    const startedMs = performance.now();
    await visit.page.goto(`${gateway.baseUrl}/dashboard/inbox`);
    await visit.page.locator('.conversation').nth(20).waitFor();
    const tookMs = performance.now() - startedMs;
    console.log(
      `the first page of ${QUIET_CONVERSATIONS} conversations: ${tookMs.toFixed(0)} ms (wanted: 1000)`,
    );
    expect(tookMs).toBeLessThan(3_000);
  });

  it('cannot be changed by a page of another site, with any form', async () => {
    await visit.open('');
    const before = JSON.stringify(await visit.request('GET', '/api/api-keys'));
    const stranger = await visit.context.newPage();
    // `localhost` is another site than 127.0.0.1, and the same gateway gives the page.
    await stranger.goto(`${gateway.baseUrl.replace('127.0.0.1', 'localhost')}/healthz`).catch(() => {});
    for (const [method, path] of [
      ['POST', '/api/api-keys'],
      ['POST', '/auth/logout'],
      ['POST', '/api/agents'],
      ['POST', '/api/change-password'],
      ['DELETE', '/api/account'],
    ]) {
      const init = {
        method,
        credentials: 'include',
        mode: 'no-cors',
        body: '{"name":"stolen","confirm":"DELETE"}',
      };
      const sent = `fetch(${JSON.stringify(gateway.baseUrl + path)}, ${JSON.stringify(init)}).catch(() => {}).then(() => 0)`;
      await stranger.evaluate(sent);
    }
    await stranger.close();
    expect(JSON.stringify(await visit.request('GET', '/api/api-keys'))).toBe(before);
  });
});
