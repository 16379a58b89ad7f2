import { expect, it } from 'vitest';
import { chooseIceServers } from '../../../src/webrtc/ice-servers.ts';

const login = { username: 'u', credential: 'p' };
const known = { username: 'u', password: 'p' };

it('takes one STUN server, and one TURN server for each transport, in the order of their cost', () => {
  const servers = [
    { urls: ['turns:192.0.2.1:443?transport=tcp', 'turn:192.0.2.1:80?transport=tcp'], ...login },
    { urls: ['stun:192.0.2.2:443', 'stun:192.0.2.3'] },
    { urls: ['turn:192.0.2.1', 'turn:192.0.2.4:1000?transport=udp'], ...login },
  ];
  expect(chooseIceServers(servers)).toEqual({
    stun: ['192.0.2.2', 443],
    turn: [
      { host: '192.0.2.1', port: 3478, transport: 'udp', ...known },
      { host: '192.0.2.1', port: 80, transport: 'tcp', ...known },
      { host: '192.0.2.1', port: 443, transport: 'tls', ...known },
    ],
  });
});

it('has the ports of the schemes', () => {
  const servers = [{ urls: ['stun:192.0.2.5', 'turns:192.0.2.5'], ...login }];
  expect(chooseIceServers(servers)).toMatchObject({ stun: ['192.0.2.5', 3478], turn: [{ port: 5349 }] });
});

it.each([
  'stuns:192.0.2.5',
  'turns:192.0.2.5?transport=udp',
  'turn:[::1]:3478',
  'turn:turn.example',
  'turn:0x7f000001',
  'turn:127.1',
  'turn:192.0.2.5:0',
  'turn:192.0.2.5:65536',
  'turn:a b.example',
  'http://192.0.2.5',
  '',
])('leaves out %s', (url) => {
  expect(chooseIceServers([{ urls: [url], ...login }])).toEqual({ stun: null, turn: [] });
});

it('leaves out TURN servers without a password', () => {
  expect(chooseIceServers([{ urls: ['turn:192.0.2.5'] }]).turn).toEqual([]);
});

it('knows what the certificate of an address is for', () => {
  const server = { urls: ['turns:192.0.2.1'], ...login, serverName: 'turn.example' };
  expect(chooseIceServers([server]).turn).toMatchObject([{ host: '192.0.2.1', serverName: 'turn.example' }]);
});
