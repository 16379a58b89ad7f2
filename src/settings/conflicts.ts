import type { Values, VariableName } from './variables.ts';

/** Conflicts between settings that are valid on their own. */
export function conflicts(values: Partial<Values>): string[] {
  const mistakes: string[] = [];
  const { SVC_RTP_PORT_MIN: min, SVC_RTP_PORT_MAX: max } = values;
  if (min !== undefined && max !== undefined && max <= min) {
    mistakes.push(`SVC_RTP_PORT_MAX: must be greater than SVC_RTP_PORT_MIN (${min})`);
  }
  if (values.SVC_TELEGRAM_UPDATES === 'webhook' && values.SVC_PUBLIC_URL === null) {
    mistakes.push('SVC_PUBLIC_URL: is required with SVC_TELEGRAM_UPDATES "webhook"');
  }
  mistakes.push(
    ...REQUIRES.flatMap(([given, needed]) =>
      values[given] && values[needed] === null ? [`${needed}: is required with ${given}`] : [],
    ),
    ...missingOfDiscord(values),
    ...SET_TOGETHER.flatMap((names) => missingOf(names, values)),
  );
  const { SVC_BOOTSTRAP_AGENT_KEY: agentKey, SVC_BOOTSTRAP_SETTINGS_KEY: settingsKey } = values;
  if (agentKey && agentKey === settingsKey) {
    mistakes.push('SVC_BOOTSTRAP_SETTINGS_KEY: must differ from SVC_BOOTSTRAP_AGENT_KEY');
  }
  return mistakes;
}

/** A shared bot has a token and an application, and a client secret only with them. */
function missingOfDiscord(values: Partial<Values>): string[] {
  const needs = ['SVC_DISCORD_BOT_TOKEN', 'SVC_DISCORD_APPLICATION_ID'] as const;
  const present = [...needs, 'SVC_DISCORD_CLIENT_SECRET' as const].find((name) => values[name] !== null);
  if (present === undefined) return [];
  return needs.filter((name) => values[name] === null).map((name) => `${name}: is required with ${present}`);
}

/** Variables, each with another one that it needs. */
const REQUIRES = [
  ['SVC_SIP_TLS_CERT_FILE', 'SVC_SIP_TLS_KEY_FILE'],
  ['SVC_SIP_TLS_KEY_FILE', 'SVC_SIP_TLS_CERT_FILE'],
  ['SVC_SMTP_URL', 'SVC_MAIL_FROM'],
  ['SVC_ZOOM_WEBHOOK_SECRET', 'SVC_ZOOM_CLIENT_ID'],
  ['SVC_BRIDGE_PLATFORMS', 'SVC_BRIDGE_URL'],
  ['SVC_BRIDGE_URL', 'SVC_BRIDGE_KEY'],
] as const;

const SET_TOGETHER = [
  ['SVC_SLACK_CLIENT_ID', 'SVC_SLACK_CLIENT_SECRET', 'SVC_SLACK_SIGNING_SECRET'],
  [
    'SVC_WHATSAPP_PHONE_NUMBER_ID',
    'SVC_WHATSAPP_ACCESS_TOKEN',
    'SVC_WHATSAPP_APP_SECRET',
    'SVC_WHATSAPP_VERIFY_TOKEN',
  ],
  ['SVC_TEAMS_APP_ID', 'SVC_TEAMS_APP_SECRET', 'SVC_TEAMS_TENANT_ID'],
  ['SVC_TEAMS_CLIENT_ID', 'SVC_TEAMS_CLIENT_SECRET'],
  ['SVC_MEET_CLIENT_ID', 'SVC_MEET_CLIENT_SECRET'],
  ['SVC_ZOOM_CLIENT_ID', 'SVC_ZOOM_CLIENT_SECRET'],
] as const;

/** These variables must be set all together or not at all. */
function missingOf(needs: readonly VariableName[], values: Partial<Values>): string[] {
  const present = needs.find((name) => values[name] !== null);
  if (present === undefined) return [];
  return needs.filter((name) => values[name] === null).map((name) => `${name}: is required with ${present}`);
}
