import { FakeTelegram } from './fake-telegram.ts';

const DEFAULT_PORT = 8081;

/** Starts a Telegram with one bot and says how to use it. */
export async function startFake([port]: readonly string[]): Promise<void> {
  const fake = await FakeTelegram.start({ port: Number(port ?? DEFAULT_PORT), takesHttpWebhooks: true });
  const { token, username } = fake.addBot();
  console.log(`Telegram's Bot API, as far as test/fakes/telegram has it: ${fake.url}

Start the gateway with it, and register its bot:

  SVC_TELEGRAM_API_URL=${fake.url} npm start
  curl $BASE/api/bot-tokens -H "X-API-Key: $SETTINGS_KEY" -d '{"platform":"telegram","bot_token":"${token}"}'

Write to the bot, and see what it answered:

  curl ${fake.url}/fake/messages -d '{"bot":"${username}","from":{"id":1001},"text":"hello"}'
  curl ${fake.url}/fake/received -d '{"bot":"${username}","from":{"id":1001}}'

SVC_TELEGRAM_BOT_TOKEN=${token} makes it the bot that all accounts share instead.

Other things that people do are listed in test/fakes/telegram/README.md. Press Ctrl-C to stop it.`);
}
