import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { ReadingTime } from '../../src/base/reading-time.ts';
import { systemClock } from '../../src/base/time.ts';
import type { Connector } from '../../src/connectors/contract/connector.ts';
import { meetConnector } from '../../src/connectors/meet/meet-connector.ts';
import { zoomConnector } from '../../src/connectors/zoom/zoom-connector.ts';
import { IDLE_TEAMS } from '../support/teams-deps.ts';
import { discordConnector } from './calls/discord-calls-under-test.ts';
import { sipConnector } from './calls/sip-under-test.ts';
import { declarationTable } from './declarations.ts';
import { nextcloudTalkConnector } from './messenger/nctalk-under-test.ts';
import { declaredSlack } from './messenger/slack-under-test.ts';
import { declaredTeams } from './messenger/teams-under-test.ts';
import { declaredTelegram } from './messenger/telegram-under-test.ts';
import { declaredWhatsApp } from './messenger/whatsapp-under-test.ts';

const README = fileURLToPath(new URL('../../src/connectors/README.md', import.meta.url));

it('lists in the README what each connector declares', () => {
  const table = declarationTable(
    new Map<string, Connector>([
      ['Discord', discordConnector()],
      ['Slack', declaredSlack()],
      ['Teams', declaredTeams()],
      ['Meet', meetConnector({ loginUrl: null, apiUrl: null, client: null }, IDLE_TEAMS)],
      [
        'Zoom',
        zoomConnector(
          {
            urls: { login: '', api: '' },
            app: { clientId: '', clientSecret: '' },
            dialIn: null,
            webhookSecret: '',
          },
          { ...IDLE_TEAMS, readingTime: new ReadingTime(systemClock), log: () => undefined },
        ),
      ],
      ['Nextcloud Talk', nextcloudTalkConnector()],
      ['Telegram', declaredTelegram()],
      ['WhatsApp', declaredWhatsApp()],
      ['SIP', sipConnector()],
    ]),
  );
  console.log(table);
  expect(readFileSync(README, 'utf8')).toContain(`\n\n${table}\n\n`);
});
