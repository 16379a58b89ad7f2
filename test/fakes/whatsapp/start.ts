import { createInterface } from 'node:readline';
import { FakeCloudApi } from './cloud-api.ts';

const PORT = 8_091;

/**
 * A WhatsApp of its own on this machine: prints the settings of a gateway that uses it, then the chat of one person, Ada.
 * `args`: the gateway's webhook, when it is not at the usual place.
 */
export async function startFake([webhookUrl = defaultWebhook()]: readonly string[]): Promise<void> {
  const api = await FakeCloudApi.start({ port: PORT });
  const ada = api.addPerson({ name: 'Ada', phone: '15551230001' });
  const settings = Object.entries(api.settings).map(([name, value]) => `${name}=${value}`);
  console.log(`Start the gateway with:\n\n${settings.join(' \\\n')} npm start\n`);
  console.log('Then write here what Ada writes; an empty line connects first, and shows what she got.\n');
  let shown = 0;
  for await (const line of createInterface({ input: process.stdin })) {
    if (!api.webhook.isSubscribed)
      await api.webhook.subscribe(webhookUrl).catch((error) => console.log(`${error}`));
    if (line !== '') console.log(`  (the gateway answered ${(await api.says(ada, line)).status})`);
    await api.settled();
    for (const { request } of ada.arrived.slice(shown)) console.log(`  gateway: ${JSON.stringify(request)}`);
    shown = ada.arrived.length;
  }
  await api.stop();
}

function defaultWebhook(): string {
  return 'http://127.0.0.1:8080/api/whatsapp/webhook/shared';
}
