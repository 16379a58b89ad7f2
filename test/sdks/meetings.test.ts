import { meet } from '@googleapis/meet';
import { Client, type GraphError } from '@microsoft/microsoft-graph-client';
import { expect, it, onTestFinished, vi } from 'vitest';
import { FakeMeet } from '../fakes/meet/fake-meet.ts';
import { FakeGraphMeetings } from '../fakes/teams/meetings/fake-graph-meetings.ts';

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
