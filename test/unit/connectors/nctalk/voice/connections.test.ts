import { afterEach, beforeEach, expect, it } from 'vitest';
import { Connections } from '../../../../../src/connectors/nctalk/voice/connections.ts';
import { OWN } from '../../../../../src/connectors/nctalk/voice/talk-protocol.ts';
import { makeCertificate } from '../../../../../src/webrtc/dtls-session.ts';

const MOST = 24;
const nobody = { candidate() {}, connected() {}, failed() {}, rtp() {} };

let connections: Connections;
beforeEach(async () => {
  connections = new Connections({ iceServers: [], certificate: await makeCertificate() });
});
afterEach(() => connections.close());

it(`has one of the agent and ${MOST} of people; a further one only in place of another`, async () => {
  await connections.open(OWN, nobody);
  for (let person = 0; person < MOST; person++) await connections.open(`person ${person}`, nobody);
  await expect(connections.open('late', nobody)).rejects.toThrow('no more than 24 people');
  await connections.open('person 3', nobody);
  await connections.open(OWN, nobody);
  connections.remove('person 3');
  await connections.open('late', nobody);
});

it('has only the last of two that are opened under one name at the same time', async () => {
  const first = connections.open('anna', nobody);
  const second = connections.open('anna', nobody);
  await expect(first).rejects.toThrow('the connection was replaced');
  expect(await connections.get('anna')).toBe(await second);
});

it('does not have what was removed', async () => {
  const opening = connections.open('anna', nobody);
  connections.remove('anna');
  await expect(opening).rejects.toThrow('replaced');
  await expect(connections.get('anna')).rejects.toThrow('there is no such connection');
});
