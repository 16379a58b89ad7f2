import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Gateway } from '../support/gateway.ts';

const ANYWHERE = 'sip:+33123456789@127.0.0.1';

describe('placing a call', () => {
  let gateway: Gateway;

  beforeAll(async () => {
    gateway = await Gateway.start();
  });
  afterAll(() => gateway?.stop());

  const place = (body: unknown) => gateway.agentApi.post('/api/call', body);

  it('needs a trunk', async () => {
    const { status, body } = await place({ platform: 'sip', meeting_url: ANYWHERE });
    expect([status, body]).toEqual([
      400,
      {
        detail: 'No SIP trunk configured; without one, only rooms.invalid can be called',
        code: 'no_sip_trunk',
      },
    ]);
  });

  it.each([
    ['discord', 'No discord bot registered'],
    ['telegram', 'No telegram bot registered'],
    ['teams', 'No teams connection configured'],
    ['meet', 'No meet connection configured'],
    ['whatsapp', 'No whatsapp connection configured'],
    ['slack', 'No slack connection configured'],
    ['nctalk', 'No nctalk connection configured'],
  ])('needs a connection to %s', async (platform, detail) => {
    const { status, body } = await place({ platform, meeting_url: 'https://meeting.example/1' });
    expect([status, body]).toEqual([400, { detail, code: 'platform_not_configured' }]);
  });

  it('rejects an unknown voice preset', async () => {
    const preset = { stt_voice_config_id: randomUUID() };
    const { status, body } = await place({ platform: 'sip', meeting_url: ANYWHERE, ...preset });
    expect([status, body]).toEqual([
      404,
      { detail: 'Voice config not found', code: 'voice_config_not_found' },
    ]);
  });

  it.each([
    ['no platform', {}, ['body', 'platform'], 'missing'],
    ['an unknown platform', { platform: 'fax' }, ['body', 'platform'], 'enum'],
    [
      'a preset that is not a UUID',
      { platform: 'sip', tts_voice_config_id: '7' },
      ['body', 'tts_voice_config_id'],
      'uuid_parsing',
    ],
    ['an empty agent name', { platform: 'sip', agent_name: '' }, ['body', 'agent_name'], 'string_too_short'],
    [
      'a long agent name',
      { platform: 'sip', agent_name: 'x'.repeat(81) },
      ['body', 'agent_name'],
      'string_too_long',
    ],
    ['a number as URL', { platform: 'sip', meeting_url: 5 }, ['body', 'meeting_url'], 'string_type'],
  ])('answers 422 for %s', async (_what, request, loc, type) => {
    const { status, body } = await place(request);
    expect(status).toBe(422);
    expect(body.detail).toEqual([{ loc, type, msg: expect.any(String) }]);
  });

  it('answers 422 for a body that is not JSON', async () => {
    const { status, body } = await place('{"platform":');
    expect(status).toBe(422);
    const msg = 'Input is not valid JSON at line 1, column 13: expected a value, but the text ends';
    expect(body.detail).toEqual([{ loc: ['body'], type: 'json_invalid', msg }]);
  });

  it('needs an agent key', async () => {
    const request = { platform: 'sip', meeting_url: ANYWHERE };
    const detail = 'Invalid or missing API key';
    for (const key of [null, 'svc_00000000000000000000000000000000']) {
      const { status, body } = await gateway.api(key).post('/api/call', request);
      expect([status, body]).toEqual([401, { detail, code: 'unauthorized' }]);
    }
    expect((await gateway.settingsApi.post('/api/call', request)).status).toBe(403);
    expect((await gateway.agentApi.get('/api/sip/trunk')).status).toBe(403);
  });

  it('answers 405 with Allow for other methods, 404 for other paths', async () => {
    const wrongMethod = await gateway.agentApi.get('/api/call');
    expect([wrongMethod.status, wrongMethod.headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
    const both = await gateway.agentApi.put('/api/call/call_1', {});
    expect(both.status).toBe(405);
    expect(both.headers.get('allow')?.split(/, */)).toEqual(expect.arrayContaining(['GET', 'DELETE']));
    const unknown = await gateway.agentApi.get('/api/nothing');
    expect([unknown.status, unknown.body]).toEqual([404, { detail: 'Not found', code: 'not_found' }]);
  });

  it('needs a URL that the trunk can call', async () => {
    await gateway.putTrunk({ host: '127.0.0.1', port: 9 });
    const none = await place({ platform: 'sip' });
    expect([none.status, none.body]).toEqual([
      400,
      { detail: 'meeting_url required', code: 'meeting_url_required' },
    ]);
    for (const url of ['https://meeting.example/1', 'sip:', 'sip:@127.0.0.1', '+', 'Ada']) {
      const { status, body } = await place({ platform: 'sip', meeting_url: url });
      expect([url, status, body]).toEqual([
        url,
        400,
        { detail: 'meeting_url is neither a SIP URI nor a phone number', code: 'invalid_meeting_url' },
      ]);
    }
    expect((await gateway.agentApi.get('/api/calls')).body).toEqual({ calls: [] });
  });
});
