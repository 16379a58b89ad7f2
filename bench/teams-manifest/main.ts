import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { loadSettings } from '../../src/settings/settings.ts';
import { appPackage } from './app-package.ts';

const CONFIG_DIR = fileURLToPath(new URL('../../config', import.meta.url));
const FILE = 'teams-app.zip';
const MAX_NAME = 30;
const EX_CONFIG = 78;

/** `npm run teams-manifest -- [name]`: writes the app package of the bot that the gateway's settings name. */
const [name = 'Agent'] = process.argv.slice(2);
const loaded = loadSettings(process.env, CONFIG_DIR);
const mistakes = 'mistakes' in loaded ? loaded.mistakes : [];
const { bot = null, publicUrl = null } =
  'settings' in loaded ? { bot: loaded.settings.teams.bot, ...loaded.settings.http } : {};
if (bot === null || publicUrl === null || name.length > MAX_NAME) {
  const needs = [`a name of at most ${MAX_NAME} characters, SVC_PUBLIC_URL and the settings of the bot`];
  console.error(['npm run teams-manifest -- [name] needs:', ...needs, ...mistakes].join('\n  '));
  process.exitCode = EX_CONFIG;
} else {
  writeFileSync(FILE, appPackage({ appId: bot.appId, name, publicUrl, hasFiles: bot.hasFiles }));
  console.log(`${FILE}: upload it in the Teams admin center, under Teams apps, Manage apps.`);
}
