import { expect, it } from 'vitest';
import { chooseIceServers } from '../../../src/webrtc/ice-servers.ts';

const login = { username: 'u', credential: 'p' };
const known = { username: 'u', password: 'p' };

it('takes one STUN server, and one TURN server for each transport, in the order of their cost', () => {
  const servers = [
    { urls: ['turns:turn.example:443?transport=tcp', 'turn:turn.example:80?transport=tcp'], ...login },
    { urls: ['stun:stun.example:443', 'stun:other.example'] },
    { urls: ['turn:turn.example', 'turn:second.example:1000?transport=udp'], ...login },
  ];
  expect(chooseIceServers(servers)).toEqual({
    stun: ['stun.example', 443],
    turn: [
      { host: 'turn.example', port: 3478, transport: 'udp', ...known },
      { host: 'turn.example', port: 80, transport: 'tcp', ...known },
      { host: 'turn.example', port: 443, transport: 'tls', ...known },
    ],
  });
});

it('has the ports of the schemes', () => {
  const servers = [{ urls: ['stun:a.example', 'turns:a.example'], ...login }];
  expect(chooseIceServers(servers)).toMatchObject({ stun: ['a.example', 3478], turn: [{ port: 5349 }] });
});

it.each([
  'stuns:a.example',
  'turns:a.example?transport=udp',
  'turn:[::1]:3478',
  'turn:a.example:0',
  'turn:a.example:65536',
  'turn:a b.example',
  'http://a.example',
  '',
])('leaves out %s', (url) => {
  expect(chooseIceServers([{ urls: [url], ...login }])).toEqual({ stun: null, turn: [] });
});

it('leaves out TURN servers without a password', () => {
  expect(chooseIceServers([{ urls: ['turn:a.example'] }]).turn).toEqual([]);
});
