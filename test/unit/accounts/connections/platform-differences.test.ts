import { beforeEach, describe, expect, it } from 'vitest';
import { answersJson, type OAuthPlatform } from '../../../support/oauth-platform.ts';
import { ConnectionsServer, PLATFORM } from '../../api/connections-server.ts';

let server: ConnectionsServer;
let platform: OAuthPlatform;

beforeEach(async () => {
  server = await ConnectionsServer.start();
  ({ platform } = server);
  await server.connect('ann');
});

describe('what platforms do differently', () => {
  it('Zoom: HTTP Basic, no scope, no PKCE', async () => {
    platform.client = {
      ...platform.client!,
      authentication: 'basic',
      scope: '',
      pkce: false,
      clientId: 'a:b',
      clientSecret: 'c d%',
    };
    const started = (await (await server.start('ann')).json()) as { authorize_url: string };
    const { searchParams } = new URL(started.authorize_url);
    expect(['scope', 'code_challenge'].map((name) => searchParams.has(name))).toEqual([false, false]);
    let heard: string | undefined;
    platform.will((response, request) => {
      heard = request.headers.authorization;
      response.writeHead(400, { 'Content-Type': 'application/json' }).end('{"error":"invalid_request"}');
    });
    const callback = `/api/oauth/${PLATFORM}/callback?code=x&state=${searchParams.get('state')}`;
    const answer = await server.browser('ann').get(`${server.url}${callback}`);
    expect(answer.status).toBe(400);
    expect(Buffer.from(heard!.replace('Basic ', ''), 'base64').toString()).toBe('a%3Ab:c%20d%25');
  });

  it('Slack: an answer of its own, without expiry, and errors with status 200', async () => {
    platform.client = { ...platform.client!, standardAnswer: slackAnswer };
    platform.identity = ({ answer }) => {
      const { team, authed_user: user } = answer as unknown as SlackAnswer;
      return { providerUserId: `${team.id} ${user.id}`, label: team.name, email: null, person: null };
    };
    platform.will(
      answersJson(200, {
        ok: true,
        access_token: 'xoxb-2',
        token_type: 'bot',
        scope: 'chat:write,im:history',
        team: { id: 'T1', name: 'Acme' },
        authed_user: { id: 'U1' },
      }),
    );
    const slack = await server.connect('ann');
    expect(platform.connections.get(slack)).toMatchObject({
      providerUserId: 'T1 U1',
      label: 'Acme',
      scopes: ['chat:write', 'im:history'],
    });
    platform.will(answersJson(200, { ok: false, error: 'invalid_code' }));
    await expect(server.connect('bob')).rejects.toThrow('invalid_code');
    await expect(platform.tokens!.refused(slack, 'xoxb-2')).rejects.toEqual(
      expect.objectContaining({ code: 'connection_lost' }),
    );
  });
});

interface SlackAnswer {
  readonly team: { readonly id: string; readonly name: string };
  readonly authed_user: { readonly id: string };
}

/** As a connector for Slack would do it. */
function slackAnswer(answer: unknown): unknown {
  const { ok, error, ...rest } = answer as { readonly ok: boolean; readonly error?: string };
  if (ok) return rest;
  return { error: error === 'invalid_refresh_token' ? 'invalid_grant' : error };
}
