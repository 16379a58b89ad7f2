import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { listeningUrl, loadSettings, type Settings } from '../../../src/settings/settings.ts';
import { describeVariables } from '../../../src/settings/variables.ts';

function configDir(content?: string): string {
  const dir = mkdtempSync(join(tmpdir(), 'gateway-settings-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  if (content !== undefined) writeFileSync(join(dir, 'gateway.json'), content);
  return dir;
}

function settingsOf(env: Record<string, string>, dir = configDir()): Settings {
  const loaded = loadSettings(env, dir);
  if ('mistakes' in loaded) throw new Error(loaded.mistakes.join('\n'));
  return loaded.settings;
}

function mistakesOf(env: Record<string, string>, dir = configDir()): readonly string[] {
  const loaded = loadSettings(env, dir);
  return 'mistakes' in loaded ? loaded.mistakes : [];
}

test('without any variable the defaults run on a laptop', () => {
  const settings = settingsOf({ PATH: '/bin', SVC_PUBLIC_URL: '' });
  expect(settings.http).toEqual({
    host: '127.0.0.1',
    port: 8080,
    publicUrl: null,
    bodyLimitBytes: 1_048_576,
    connectionsPerNetwork: 2_000,
    server: null,
  });
  expect(settings.sip).toMatchObject({
    port: 5060,
    portIsDefault: true,
    rtpPortMin: 20_000,
    rtpPortMax: 29_999,
  });
  expect(settings.calls).toEqual({
    maxPerAccount: 500,
    maxTotal: null,
    isAdmittedByLoad: true,
    portPairs: 5_000,
    maxCallMs: 14_400_000,
  });
  expect(settings.engine.threads).toBeGreaterThanOrEqual(1);
  expect(settings.bootstrap).toEqual({ agentKey: null, settingsKey: null });
});

test('the settings are deeply frozen', () => {
  const settings = settingsOf({}) as { http: { port: number } };
  expect(() => {
    settings.http.port = 1;
  }).toThrow(TypeError);
});

test('the environment overrides gateway.json, which may contain numbers', () => {
  const dir = configDir('{"SVC_PORT": 9000, "SVC_HOST": "0.0.0.0", "SVC_SIP_PORT": "5060"}');
  const settings = settingsOf({ SVC_PORT: '9100' }, dir);
  expect(settings.http).toMatchObject({ host: '0.0.0.0', port: 9100 });
  expect(settings.sip.portIsDefault).toBe(false);
});

test('all mistakes are reported at once, each with its variable', () => {
  const mistakes = mistakesOf(
    {
      SVC_PORT: '80a',
      SVC_HOST: 'no host',
      SVC_PUBLIC_URL: 'ftp://example.com',
      SVC_RTP_PORT_MIN: '30000',
      SVC_RTP_PROT_MAX: '1',
      SVC_SIP_TLS_CA_FILE: '/does/not/exist.pem',
      SVC_BOOTSTRAP_AGENT_KEY: 'svc_short',
      SVC_MASTER_KEY: 'c2hvcnQ=',
      SVC_LOG_LEVEL: 'loud',
    },
    configDir('{"SVC_MAX_CALL_MINUTES": [1], "port": 1}'),
  );
  for (const start of [
    'SVC_PORT: must be a whole number from 0 to 65535 (it is "80a")',
    'SVC_HOST: must be a host name',
    'SVC_PUBLIC_URL: must be an http or https URL',
    'SVC_RTP_PORT_MAX: must be greater than SVC_RTP_PORT_MIN',
    'SVC_RTP_PROT_MAX: unknown variable; did you mean SVC_RTP_PORT_MAX?',
    'SVC_SIP_TLS_CA_FILE: cannot be read (ENOENT)',
    'SVC_BOOTSTRAP_AGENT_KEY: must be "svc_"',
    'SVC_MASTER_KEY: must be 32 bytes',
    'SVC_LOG_LEVEL: must be one of',
    'SVC_MAX_CALL_MINUTES: must be a string or a number',
    'port: keys of gateway.json',
  ]) {
    expect(mistakes.filter((mistake) => mistake.startsWith(start))).toHaveLength(1);
  }
  expect(mistakes).toHaveLength(11);
});

test('secrets are not repeated in mistakes', () => {
  const mistakes = mistakesOf({ SVC_BOOTSTRAP_AGENT_KEY: 'hunter2', SVC_MASTER_KEY: 'hunter2' });
  expect(mistakes).toHaveLength(2);
  expect(mistakes.join()).not.toContain('hunter2');
});

test('a broken gateway.json is one mistake that names the file', () => {
  const dir = configDir('{"SVC_PORT": ');
  expect(mistakesOf({}, dir)).toEqual([expect.stringContaining(join(dir, 'gateway.json'))]);
  expect(mistakesOf({}, configDir('[]'))).toEqual([expect.stringContaining('one JSON object')]);
});

test('bootstrap keys must differ', () => {
  const key = `svc_${'k'.repeat(28)}`;
  expect(mistakesOf({ SVC_BOOTSTRAP_AGENT_KEY: key, SVC_BOOTSTRAP_SETTINGS_KEY: key })).toEqual([
    'SVC_BOOTSTRAP_SETTINGS_KEY: must differ from SVC_BOOTSTRAP_AGENT_KEY',
  ]);
});

test.each([
  ['https://voice.example.com/gateway/', 'https://voice.example.com/gateway'],
  ['http://10.0.0.1:8080', 'http://10.0.0.1:8080'],
])('the public URL %s becomes %s', (text, url) => {
  expect(settingsOf({ SVC_PUBLIC_URL: text }).http.publicUrl).toBe(url);
});

test.each(['https://user:pass@example.com', 'https://example.com/?a=1', 'example.com', 'ws://example.com'])(
  'the public URL %s is refused',
  (text) => {
    expect(mistakesOf({ SVC_PUBLIC_URL: text })).toHaveLength(1);
  },
);

test('the master key is read from base64 and from hex', () => {
  const bytes = Buffer.alloc(32, 0xab);
  for (const encoding of ['base64', 'base64url', 'hex'] as const) {
    expect(settingsOf({ SVC_MASTER_KEY: bytes.toString(encoding) }).masterKey).toEqual(bytes);
  }
});

test('the listening URL names an address that can be called', () => {
  expect(listeningUrl('0.0.0.0', 80)).toBe('http://127.0.0.1:80');
  expect(listeningUrl('::1', 80)).toBe('http://[::1]:80');
  expect(listeningUrl('localhost', 80)).toBe('http://localhost:80');
});

test('every variable has a description', () => {
  const rows = describeVariables();
  expect(rows.find((row) => row.name === 'SVC_PORT')).toEqual({
    name: 'SVC_PORT',
    default: '8080',
    meaning: 'Port that HTTP listens on; 0 picks a free one',
  });
  expect(rows.every((row) => row.default !== '' && row.meaning !== '')).toBe(true);
});

test('the example file is valid', () => {
  const example = readFileSync(new URL('../../../config/gateway.example.json', import.meta.url), 'utf8');
  expect(settingsOf({}, configDir(example)).http.publicUrl).toBe('https://voice.example.com');
});

test('a certificate needs its key, and together they create a TLS listener', () => {
  const dir = configDir();
  const cert = join(dir, 'cert.pem');
  const key = join(dir, 'key.pem');
  writeFileSync(cert, '-----BEGIN CERTIFICATE-----');
  writeFileSync(key, '-----BEGIN PRIVATE KEY-----');
  expect(settingsOf({}).sip.tlsListen).toBeNull();
  expect(mistakesOf({ SVC_SIP_TLS_CERT_FILE: cert })).toEqual([
    'SVC_SIP_TLS_KEY_FILE: is required with SVC_SIP_TLS_CERT_FILE',
  ]);
  expect(mistakesOf({ SVC_SIP_TLS_KEY_FILE: key })).toEqual([
    'SVC_SIP_TLS_CERT_FILE: is required with SVC_SIP_TLS_KEY_FILE',
  ]);
  expect(mistakesOf({ SVC_SIP_TLS_CERT_FILE: cert, SVC_SIP_TLS_KEY_FILE: cert })[0]).toContain(
    'a private key',
  );
  expect(settingsOf({ SVC_SIP_TLS_CERT_FILE: cert, SVC_SIP_TLS_KEY_FILE: key }).sip.tlsListen).toEqual({
    port: 5061,
    cert: '-----BEGIN CERTIFICATE-----',
    key: '-----BEGIN PRIVATE KEY-----',
  });
});

test('by default signing up needs an invite, and there is no mail server', () => {
  const { people, mail } = settingsOf({});
  expect(people).toEqual({ signup: 'invite', signupCode: null, loginAttempts: 10, trustedProxies: [] });
  expect(mail).toBeNull();
});

test('a mail server requires a sender address', () => {
  const SVC_SMTP_URL = 'smtps://user:p%40ss@mail.example.com:465';
  expect(mistakesOf({ SVC_SMTP_URL })).toEqual(['SVC_MAIL_FROM: is required with SVC_SMTP_URL']);
  for (const from of ['gateway@example.com', 'Voice Gateway <gateway@example.com>']) {
    expect(settingsOf({ SVC_SMTP_URL, SVC_MAIL_FROM: from }).mail).toEqual({ smtpUrl: SVC_SMTP_URL, from });
  }
});

test.each([
  { SVC_SMTP_URL: 'https://user:hunter2@mail.example.com', SVC_MAIL_FROM: 'a@b.example' },
  { SVC_SMTP_URL: 'hunter2', SVC_MAIL_FROM: 'a@b.example' },
  { SVC_MAIL_FROM: 'nobody' },
  { SVC_MAIL_FROM: 'A <a@b.example>, B <b@b.example>' },
  { SVC_SIGNUP: 'maybe' },
  { SVC_SIGNUP_CODE: 'hunter2' },
  { SVC_TRUSTED_PROXIES: '10.0.0.0/8, proxy.example' },
  { SVC_TRUSTED_PROXIES: '10.0.0.0/33' },
])('mail and sign-up variables are validated (%#)', (env) => {
  const mistakes = mistakesOf(env);
  expect(mistakes).toHaveLength(1);
  expect(mistakes[0]).toContain('must ');
  expect(mistakes[0]).not.toContain('hunter2');
});

test('proxies are addresses or subnets', () => {
  const { people } = settingsOf({ SVC_TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8,fd00::/8' });
  expect(people.trustedProxies).toEqual(['127.0.0.1', '10.0.0.0/8', 'fd00::/8']);
});

test('Telegram files are below the Bot API by default, and webhooks need a public address', () => {
  expect(settingsOf({}).telegram).toEqual({
    sharedToken: null,
    updates: 'polling',
    urls: { api: 'https://api.telegram.org', files: 'https://api.telegram.org/file' },
  });
  const own = { SVC_TELEGRAM_API_URL: 'http://127.0.0.1:8081/', SVC_TELEGRAM_BOT_TOKEN: '12:ab_c-D' };
  expect(settingsOf(own).telegram).toMatchObject({
    sharedToken: '12:ab_c-D',
    urls: { files: 'http://127.0.0.1:8081/file' },
  });
  expect(mistakesOf({ SVC_TELEGRAM_UPDATES: 'webhook' })).toEqual([
    'SVC_PUBLIC_URL: is required with SVC_TELEGRAM_UPDATES "webhook"',
  ]);
  const [mistake] = mistakesOf({ SVC_TELEGRAM_BOT_TOKEN: 'hunter2/../x' });
  expect(mistake).toMatch(/^SVC_TELEGRAM_BOT_TOKEN: must be a token/);
  expect(mistake).not.toContain('hunter2');
});

test('messages are kept forever, or for a number of days', () => {
  expect(settingsOf({}).messaging.keptMs).toBeNull();
  expect(settingsOf({ SVC_MESSAGES_KEEP_DAYS: '30' }).messaging.keptMs).toBe(30 * 86_400_000);
  expect(mistakesOf({ SVC_MESSAGES_KEEP_DAYS: '0' })).toEqual([
    'SVC_MESSAGES_KEEP_DAYS: must be a whole number from 1 to 36500 (it is "0")',
  ]);
});

test('a trunk binding names an account and an address or a subnet', () => {
  expect(settingsOf({}).sip).toMatchObject({ trunkAllow: [], trunkBindings: [], numbersPerAccount: 1_000 });
  const settings = settingsOf({
    SVC_SIP_TRUNK_BINDINGS: 'operator=203.0.113.7, acc_3q2-7wV1kX9eQ0aB=198.51.100.0/24,acc_x=2001:db8::/32',
    SVC_SIP_TRUNK_ALLOW: '10.0.0.5, 192.168.0.0/16',
    SVC_SIP_NUMBERS_PER_ACCOUNT: '20',
  });
  expect(settings.sip).toMatchObject({
    trunkBindings: [
      { account: 'operator', subnet: '203.0.113.7' },
      { account: 'acc_3q2-7wV1kX9eQ0aB', subnet: '198.51.100.0/24' },
      { account: 'acc_x', subnet: '2001:db8::/32' },
    ],
    trunkAllow: ['10.0.0.5', '192.168.0.0/16'],
    numbersPerAccount: 20,
  });
});

test.each([
  '203.0.113.7',
  'acc_x=',
  '=203.0.113.7',
  'bob@example.com=203.0.113.7',
  'acc_x=host.example',
  'acc_x=10.0.0.0/33',
  'acc_x=1.2.3.4,',
])('the binding "%s" is a mistake that shows the syntax', (text) => {
  expect(mistakesOf({ SVC_SIP_TRUNK_BINDINGS: text })).toEqual([
    `SVC_SIP_TRUNK_BINDINGS: must be comma-separated account=address or account=subnet, where the account is "operator" or an account id (acc_…) (it is "${text}")`,
  ]);
});

test('an address cannot be bound to two accounts', () => {
  expect(mistakesOf({ SVC_SIP_TRUNK_BINDINGS: 'acc_x=1.2.3.4,acc_y=1.2.3.4' })[0]).toContain(
    'must not repeat 1.2.3.4',
  );
});

test('the secrets of signaling servers are listed by host', () => {
  const { nctalk } = settingsOf({
    SVC_NCTALK_INTERNAL_SECRET: 'Talk.example.com=s3cret=s3cret, hpb.local:8443=another secret',
  });
  expect(nctalk).toEqual({
    allow: [],
    internalSecrets: [
      { host: 'talk.example.com', secret: 's3cret=s3cret' },
      { host: 'hpb.local:8443', secret: 'another secret' },
    ],
  });
  for (const wrong of ['talk.example.com', 'a=12345678,a=12345678', 'a=short', 'https://a=12345678'])
    expect(mistakesOf({ SVC_NCTALK_INTERNAL_SECRET: wrong })).toEqual([
      expect.stringContaining('SVC_NCTALK_INTERNAL_SECRET: must be comma-separated host=secret'),
    ]);
});
