import { expect, it, onTestFinished } from 'vitest';
import { newSigningKey } from '../../fakes/teams/auth/signing-keys.ts';
import { FakeTeams } from '../../fakes/teams/fake-teams.ts';
import { sdkApp } from './sdk-app.ts';

/** A fake Teams whose bot is an application of Microsoft's own SDK. */
async function world() {
  const teams = await FakeTeams.start({ retryDelays: [] });
  onTestFinished(() => teams.stop());
  const { app, close } = await sdkApp(teams);
  onTestFinished(close);
  return { teams, app, ada: teams.addPerson('Ada') };
}

it('tells Microsoft’s SDK what people write, and takes its answers', async () => {
  const { teams, app, ada } = await world();
  const heard: string[] = [];
  app.on('message', async ({ activity, reply }) => {
    heard.push(`${activity.from.name}: ${activity.text}`);
    await reply('you said so');
  });
  ada.says('hello');
  await teams.delivery.settled();
  expect(heard).toEqual(['Ada: hello']);
  expect(ada.received().map(({ text }) => text)).toEqual([expect.stringContaining('you said so')]);
  expect([teams.offences, teams.delivery.lost]).toEqual([[], 0]);
});

it('tells it of mentions in the threads of channels, and takes answers there', async () => {
  const { teams, app, ada } = await world();
  const channel = teams.world.addChannel(teams.world.addTeam('Acme', teams.tenantId), 'plans', [ada.user]);
  app.on('message', async ({ activity, send }) => {
    await send(`in ${activity.conversation.conversationType}`);
  });
  const { message } = ada.mentions(channel, 'are you there?');
  await teams.delivery.settled();
  expect(channel.messages.at(-1)).toMatchObject({ text: 'in channel', root: message.id, from: null });
  expect(teams.offences).toEqual([]);
});

it('tells it of edits, deletions and installations', async () => {
  const { teams, app, ada } = await world();
  const heard: string[] = [];
  app.on('messageUpdate', ({ activity }) => void heard.push(`edited ${activity.text}`));
  app.on('messageDelete', () => void heard.push('deleted'));
  app.on('install.add', () => void heard.push('installed'));
  app.on('install.remove', () => void heard.push('removed'));
  app.on('message', () => undefined);
  const written = ada.says('one');
  ada.edits(written, 'two');
  ada.deletes(written);
  ada.installs(false);
  ada.installs();
  await teams.delivery.settled();
  expect(heard).toEqual(['edited two', 'deleted', 'removed', 'installed']);
});

it('takes first messages of the SDK to people who have the app', async () => {
  const { app, ada } = await world();
  await ada.installs().answer;
  await app.send(ada.chat.id, 'good morning');
  expect(ada.received().map(({ text }) => text)).toEqual(['good morning']);
});

it('signs as Microsoft does: the SDK refuses any other key', async () => {
  const { teams, app, ada } = await world();
  let heard = 0;
  app.on('message', () => {
    heard += 1;
  });
  ada.says('genuine');
  await teams.delivery.settled();
  const published = teams.keys;
  const other = newSigningKey();
  teams.keys = [{ ...other, kid: published[0]!.kid }];
  ada.says('forged');
  await teams.delivery.settled();
  expect([heard, teams.delivery.lost]).toEqual([1, 1]);
});
