import { meet } from '@googleapis/meet';
import { Client, type GraphError } from '@microsoft/microsoft-graph-client';
import { MeetingsS2SAuthClient } from '@zoom/rivet/meetings';
import { expect, it, onTestFinished, vi } from 'vitest';
import { FakeMeet } from '../fakes/meet/fake-meet.ts';
import { FakeGraphMeetings } from '../fakes/teams/meetings/fake-graph-meetings.ts';
import { FakeZoomApi } from '../fakes/zoom/fake-zoom-api.ts';

const GRAPH = 'https://graph.microsoft.com';
const PHONE = { phoneNumber: '+16505550142', pin: '123456789', regionCode: 'US', languageCode: 'en' };
const AUDIO = { conferenceId: '123456789', tollNumbers: ['+12065550142'], tollFreeNumbers: [] };

it('Google’s own client reads meetings, who is there, and makes one', async () => {
  const fake = await FakeMeet.start();
  onTestFinished(() => fake.stop());
  fake.login.visitor = { id: 'ada', name: 'Ada', email: 'ada@example.com' };
  fake.phoneAccess = [PHONE];
  fake.add('abc-mnop-xyz', {
    people: Array.from({ length: 120 }, (_, n) => ({ kind: 'anonymousUser', name: `Guest ${n}` })),
  });
  const headers = { authorization: `Bearer ${await fake.accessToken()}` };
  const client = meet({ version: 'v2', rootUrl: `${fake.url}/`, headers });

  const { data: space } = await client.spaces.get({ name: 'spaces/abc-mnop-xyz' });
  expect(space).toMatchObject({ meetingCode: 'abc-mnop-xyz', phoneAccess: [PHONE] });
  const parent = space.activeConference!.conferenceRecord!;
  const { data: page } = await client.conferenceRecords.participants.list({ parent });
  expect([page.participants?.length, page.totalSize]).toEqual([100, 120]);
  const { data: rest } = await client.conferenceRecords.participants.list({
    parent,
    pageToken: page.nextPageToken!,
    filter: 'latest_end_time IS NULL',
  });
  expect(rest.participants?.at(-1)?.anonymousUser?.displayName).toBe('Guest 119');
  const { data: made } = await client.spaces.create({ requestBody: {} });
  expect(made.meetingUri).toMatch(/^https:\/\/meet\.google\.com\/[a-z]+-[a-z]+-[a-z]+$/);
  await expect(client.spaces.get({ name: 'spaces/not-here-atall' })).rejects.toMatchObject({
    status: 403,
    message: 'Permission denied on resource Space (or it might not exist).',
  });
});

it('Microsoft’s own client of Graph finds and makes online meetings', async () => {
  const fake = await FakeGraphMeetings.start();
  onTestFinished(() => fake.stop());
  fake.userOf = (token) => (token === 'token' ? 'ada' : null);
  fake.audioConferencing = AUDIO;
  const meeting = fake.add('ada');
  // It gives its token to Graph over https only.
  const { fetch } = globalThis;
  vi.stubGlobal('fetch', (url: string, init: RequestInit) => fetch(url.replace(GRAPH, fake.url), init));
  onTestFinished(() => void vi.unstubAllGlobals());
  const clientWith = (token: string) => Client.init({ authProvider: (done) => done(null, token) });

  const found = await clientWith('token')
    .api('/me/onlineMeetings')
    // As Microsoft's documentation says: the client does not encode it.
    .filter(`JoinWebUrl eq '${encodeURIComponent(meeting.joinWebUrl)}'`)
    .get();
  expect(found.value).toMatchObject([{ id: meeting.id, audioConferencing: AUDIO }]);
  const made = await clientWith('token')
    .api('/me/onlineMeetings')
    .post({ startDateTime: '2026-11-27T08:00:00Z', endDateTime: '2026-11-27T09:00:00Z', subject: 'Talk' });
  expect(made.joinWebUrl).toContain('/l/meetup-join/');
  const refused = await clientWith('another')
    .api('/me/onlineMeetings')
    .get()
    .catch((error: GraphError) => error);
  expect(refused).toMatchObject({ statusCode: 401, code: 'InvalidAuthenticationToken' });
});

it('Zoom’s own client reads meetings and their addresses, and makes one', async () => {
  const fake = await FakeZoomApi.start();
  onTestFinished(() => fake.stop());
  fake.userOf = (token) => (token === 'token' ? 'ada' : null);
  fake.crcPlans.add('ada');
  fake.numbers = [{ number: '+1 6465550142', country: 'US', type: 'toll' }];
  const meetingId = Number(fake.add('ada', { passcode: '123456' }).id);
  const clientWith = (accessToken: string) => {
    const token = { accessToken, expirationTimeIso: '2999-01-01T00:00:00Z', scopes: [] };
    const tokenStore = { getLatestToken: () => token, storeToken: () => undefined };
    const app = { clientId: 'id', clientSecret: 'secret', accountId: 'account' };
    return new MeetingsS2SAuthClient({ ...app, tokenStore, baseUrl: fake.url, disableReceiver: true })
      .endpoints;
  };
  const { meetings } = clientWith('token');

  const { data: meeting } = await meetings.getMeeting({ path: { meetingId } });
  expect(meeting).toMatchObject({ id: meetingId, pstn_password: '123456', h323_password: '123456' });
  expect(meeting?.settings?.global_dial_in_numbers).toMatchObject(fake.numbers);
  const { data: dialing } = await meetings.getMeetingSIPURIWithPasscode({
    path: { meetingId },
    body: { passcode: '123456' },
  });
  expect(dialing).toMatchObject({
    sip_dialing: `${meetingId}.123456...7654321@zoomcrc.com`,
    paid_crc_plan_participant: true,
  });
  const { data: made } = await meetings.createMeeting({
    path: { userId: 'me' },
    body: { topic: 'Talk', type: 1 },
  });
  expect(made?.join_url).toMatch(/^https:\/\/us05web\.zoom\.us\/j\/\d{11}\?pwd=/);
  await expect(meetings.getMeeting({ path: { meetingId: 99_999_999_999 } })).rejects.toThrow(
    '[404/3001]: "Meeting does not exist: 99999999999."',
  );
  await expect(clientWith('another').meetings.getMeeting({ path: { meetingId } })).rejects.toThrow(
    '[401/124]: "Invalid access token."',
  );
});
