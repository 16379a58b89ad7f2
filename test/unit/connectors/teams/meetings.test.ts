import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { LegObserver } from '../../../../src/connectors/contract/call-leg.ts';
import type { Connector, DialRequest } from '../../../../src/connectors/contract/connector.ts';
import { teamsConnector } from '../../../../src/connectors/teams/teams-connector.ts';
import { FakeGraphMeetings } from '../../../fakes/teams/meetings/fake-graph-meetings.ts';
import { DialledSip } from '../../../support/dialled-sip.ts';
import { IDLE_TEAMS } from '../../../support/teams-deps.ts';

const AUDIO = {
  conferenceId: '123456789',
  tollNumbers: ['+12065550142', '+442071234567'],
  tollFreeNumbers: ['+18005550142'],
};
const NO_MEDIA = { open: () => Promise.reject(new Error('no media')) };

let graph: FakeGraphMeetings;
let sip: DialledSip;
let connector: Connector;

beforeEach(async () => {
  graph = await FakeGraphMeetings.start();
  graph.userOf = () => 'ada';
  graph.audioConferencing = AUDIO;
  sip = new DialledSip();
  connector = teamsConnector(
    {
      cloud: 'public',
      loginUrl: null,
      graphUrl: graph.url,
      tenant: 'organizations',
      application: null,
      bot: null,
    },
    { ...IDLE_TEAMS, sip },
  );
  connector.provides.oauth!.onConnections!({
    accessToken: async () => 'token',
    refused: async () => 'token',
    report: () => undefined,
  });
});
afterEach(() => graph.stop());

function place(target: string) {
  const request: DialRequest = {
    callId: 'call_1',
    accountId: 'acc_1',
    agentId: 'agt_1',
    login: { kind: 'connection', id: 'con_1' },
    target,
    dtmf: '',
    agentName: 'Ada’s agent',
  };
  const [ended, created] = [vi.fn(), vi.fn()];
  const observer = { ended, created } as unknown as LegObserver;
  connector.provides.calls!.prepare(request);
  return { ended, created, leg: connector.provides.calls!.dial(request, NO_MEDIA, observer) };
}

it.each([
  ['link', () => graph.add('ada').joinWebUrl],
  ['short link', () => `https://teams.microsoft.com/meet/${graph.add('ada').joinMeetingId}?p=abc`],
  ['link with a quote in it', () => graph.add('ada', { joinWebUrl: JOIN_WITH_QUOTE }).joinWebUrl],
])('a meeting by %s is called at its toll number, in a room of 16 kHz', async (_, target) => {
  place(target());
  await vi.waitUntil(() => sip.calls.length > 0);
  expect(sip.calls[0]).toMatchObject({
    accountId: 'acc_1',
    target: 'tel:+12065550142',
    dtmf: '123456789#',
    displayName: 'Ada’s agent',
    sampleRateHz: 16_000,
  });
});

const JOIN_WITH_QUOTE =
  "https://teams.microsoft.com/l/meetup-join/19%3ameeting_o'b%40thread.v2/0?context=%7b%22Tid%22%3a%22t%22%7d";

it.each([
  [
    'of another organizer',
    () => graph.add('eve').joinWebUrl,
    /has not organized this meeting; give its phone number/,
  ],
  [
    'of another organizer, for which Graph answers 403',
    () => {
      graph.statusForOthers = 403;
      return graph.add('eve').joinWebUrl;
    },
    /has not organized this meeting; .* \(An error has occurred\.\)$/,
  ],
  [
    'of another organizer, for which Graph answers 404',
    () => {
      graph.statusForOthers = 404;
      return graph.add('eve').joinWebUrl;
    },
    /has not organized this meeting; .* \(An error has occurred\.\)$/,
  ],
  [
    'without Audio Conferencing',
    () => graph.add('ada', { audioConferencing: null }).joinWebUrl,
    /its organizer needs Teams Audio Conferencing/,
  ],
  [
    'that Graph does not tell of',
    () => {
      graph.userOf = () => null;
      return graph.add('ada').joinWebUrl;
    },
    /Access token has expired/,
  ],
])('a meeting %s ends the call with what is missing', async (_, target, reason) => {
  const { ended } = place(target());
  await vi.waitUntil(() => ended.mock.calls.length > 0);
  expect(ended).toHaveBeenCalledExactlyOnceWith('lost', {
    result: 'failed',
    reason: expect.stringMatching(reason),
  });
  expect(sip.calls).toEqual([]);
});

it('old meetings have one number each', async () => {
  const audioConferencing = {
    conferenceId: '1',
    tollNumber: '+12065550199',
    tollNumbers: [],
    tollFreeNumbers: [],
  };
  place(graph.add('ada', { audioConferencing }).joinWebUrl);
  await vi.waitUntil(() => sip.calls.length > 0);
  expect(sip.calls[0]?.target).toBe('tel:+12065550199');
});

it('without a link, a meeting of the account is made, and told', async () => {
  const { created } = place('');
  await vi.waitUntil(() => sip.calls.length > 0);
  expect(created).toHaveBeenCalledExactlyOnceWith(graph.meetings[0]!.joinWebUrl);
  expect(sip.calls[0]).toMatchObject({ target: 'tel:+12065550142', dtmf: '123456789#' });
});
