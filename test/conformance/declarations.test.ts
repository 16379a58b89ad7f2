import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { Connector } from '../../src/connectors/contract/connector.ts';
import { MeetConnector } from '../../src/connectors/meet/meet-connector.ts';
import { ZoomConnector } from '../../src/connectors/zoom/zoom-connector.ts';
import { IDLE_TEAMS } from '../support/teams-deps.ts';
import { discordConnector } from './calls/discord-calls-under-test.ts';
import { sipConnector } from './calls/sip-under-test.ts';
import { declarationTable } from './declarations.ts';
import { nextcloudTalkConnector } from './messenger/nctalk-under-test.ts';
import { slackConnector } from './messenger/slack-under-test.ts';
import { teamsConnector } from './messenger/teams-under-test.ts';
import { telegramConnector } from './messenger/telegram-under-test.ts';
import { whatsAppConnector } from './messenger/whatsapp-under-test.ts';

const README = fileURLToPath(new URL('../../src/connectors/README.md', import.meta.url));

it('lists in the README what each connector declares', () => {
  const table = declarationTable(
    new Map<string, Connector>([
      ['Discord', discordConnector()],
      ['Slack', slackConnector()],
      ['Teams', teamsConnector()],
      ['Meet', new MeetConnector({ loginUrl: null, apiUrl: null, client: null }, IDLE_TEAMS)],
      [
        'Zoom',
        new ZoomConnector(
          {
            urls: { login: '', api: '' },
            app: { clientId: '', clientSecret: '' },
            dialIn: null,
            webhookSecret: '',
          },
          { ...IDLE_TEAMS, log: () => undefined },
        ),
      ],
      ['Nextcloud Talk', nextcloudTalkConnector()],
      ['Telegram', telegramConnector()],
      ['WhatsApp', whatsAppConnector()],
      ['SIP', sipConnector()],
    ]),
  );
  console.log(table);
  expect(readFileSync(README, 'utf8')).toContain(`\n\n${table}\n\n`);
});
